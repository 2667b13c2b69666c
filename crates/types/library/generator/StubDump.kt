@file:OptIn(ExperimentalCompilerApi::class, SymbolInternals::class, DirectDeclarationsAccess::class, ScopeFunctionRequiresPrewarm::class)
// A K2 compiler plugin that writes the public declarations of the libraries on the class path as Kotlin stubs: declarations without bodies.
// Usage: make.sh. It builds this file, then compiles an empty file with it; the plugin reads the -Dstubdump.… properties set there.
package stubdump

import org.jetbrains.kotlin.compiler.plugin.CompilerPluginRegistrar
import org.jetbrains.kotlin.compiler.plugin.ExperimentalCompilerApi
import org.jetbrains.kotlin.config.CompilerConfiguration
import org.jetbrains.kotlin.descriptors.ClassKind
import org.jetbrains.kotlin.descriptors.Modality
import org.jetbrains.kotlin.diagnostics.DiagnosticReporter
import org.jetbrains.kotlin.fir.FirSession
import org.jetbrains.kotlin.fir.analysis.checkers.MppCheckerKind
import org.jetbrains.kotlin.fir.analysis.checkers.context.CheckerContext
import org.jetbrains.kotlin.fir.analysis.checkers.declaration.*
import org.jetbrains.kotlin.fir.analysis.checkers.unsubstitutedScope
import org.jetbrains.kotlin.fir.analysis.extensions.FirAdditionalCheckersExtension
import org.jetbrains.kotlin.fir.declarations.*
import org.jetbrains.kotlin.fir.extensions.FirExtensionRegistrar
import org.jetbrains.kotlin.fir.extensions.FirExtensionRegistrarAdapter
import org.jetbrains.kotlin.fir.resolve.fullyExpandedType
import org.jetbrains.kotlin.fir.resolve.providers.symbolProvider
import org.jetbrains.kotlin.fir.scopes.*
import org.jetbrains.kotlin.fir.scopes.impl.declaredMemberScope
import org.jetbrains.kotlin.fir.symbols.FirBasedSymbol
import org.jetbrains.kotlin.fir.symbols.SymbolInternals
import org.jetbrains.kotlin.fir.symbols.impl.*
import org.jetbrains.kotlin.fir.types.*
import org.jetbrains.kotlin.fir.unwrapFakeOverridesOrDelegated
import org.jetbrains.kotlin.name.ClassId
import org.jetbrains.kotlin.name.FqName
import org.jetbrains.kotlin.name.Name
import org.jetbrains.kotlin.resolve.deprecation.DeprecationLevelValue
import org.jetbrains.kotlin.types.Variance
import java.io.File

class Reg : CompilerPluginRegistrar() {
    override val supportsK2 get() = true
    override val pluginId: String get() = "stubdump"
    override fun ExtensionStorage.registerExtensions(configuration: CompilerConfiguration) { FirExtensionRegistrarAdapter.registerExtension(FirReg()) }
}
class FirReg : FirExtensionRegistrar() { override fun ExtensionRegistrarContext.configurePlugin() { +::Ext } }
class Ext(session: FirSession) : FirAdditionalCheckersExtension(session) {
    override val declarationCheckers = object : DeclarationCheckers() { override val fileCheckers: Set<FirFileChecker> = setOf(OnFile) }
}
object OnFile : FirFileChecker(MppCheckerKind.Common) {
    context(context: CheckerContext, reporter: DiagnosticReporter)
    override fun check(declaration: FirFile) { Dump(context).run() }
}

fun property(name: String): String = System.getProperty("stubdump.$name") ?: error("-Dstubdump.$name is missing")

/** What Kotlin imports into every file on the JVM, apart from java.lang. */
val IMPORTED = listOf("", ".annotation", ".collections", ".comparisons", ".io", ".ranges", ".sequences", ".text", ".jvm").map { "kotlin$it" }
val HARD = ("as break class continue do else false for fun if in interface is null object package return super this throw true try typealias typeof " +
    "val var when while").split(" ").toSet()
val SIGNED_ARRAYS = listOf("Boolean", "Byte", "Short", "Int", "Long", "Char", "Float", "Double").map { "${it}Array" }
val ARRAYS = (SIGNED_ARRAYS + listOf("UByteArray", "UShortArray", "UIntArray", "ULongArray")).toSet()
/** Of the extensions of primitive arrays only these are kept, and only for four of the arrays: the rest doubles the size and is rarely asked for. */
val ARRAYS_KEPT = setOf("IntArray", "LongArray", "ByteArray", "CharArray")
val NAMES_KEPT = ("size indices lastIndex toList toTypedArray joinToString forEach map isEmpty isNotEmpty sum contains copyOf copyOfRange first last " +
    "filter forEachIndexed").split(" ").toSet()

/** In backticks what is no identifier; `suspend` too, which Kotlin allows as a name and the tree-sitter grammar does not. */
fun id(n: Name): String = n.asString().let { if (it in HARD || it == "suspend" || !it.all { c -> c.isLetterOrDigit() || c == '_' }) "`$it`" else it }

/** A declaration as it is written. [array]: 0 nothing special, 1 extension of a primitive array that is kept, 2 one that is left out. */
class Line(val kind: Int, val name: String, val text: String, val array: Int = 0)
val ORDER = compareBy<Line>({ it.kind }, { it.name }, { it.text })

class Dump(val ctx: CheckerContext) {
    val session = ctx.session
    val provider = session.symbolProvider
    /** What a reader should know about, on standard error. */
    fun note(s: String) = System.err.println("stubdump: $s")

    fun gone(s: FirBasedSymbol<*>): Boolean =
        s.getOwnDeprecation(session, null)?.deprecationLevel.let { it == DeprecationLevelValue.ERROR || it == DeprecationLevelValue.HIDDEN }
    fun shown(s: FirCallableSymbol<*>): Boolean = s.rawStatus.visibility.isPublicAPI && !gone(s)
    fun shown(s: FirClassLikeSymbol<*>): Boolean = s.rawStatus.visibility.isPublicAPI && !gone(s) &&
        (s.classId.outerClassId?.let { provider.getClassLikeSymbolByClassId(it) }?.let { shown(it) } ?: true)
    fun isJava(s: FirClassLikeSymbol<*>) = s.origin is FirDeclarationOrigin.Java

    fun classifiers(pkg: String): List<FirClassLikeSymbol<*>> {
        val known = provider.symbolNamesProvider.getTopLevelClassifierNamesInPackage(FqName(pkg)) ?: error("no list of the classes of $pkg")
        // Function types are made on demand, so no list has them.
        val made = if (pkg == "kotlin") (0..22).map { Name.identifier("Function$it") } else emptyList()
        return (known + made).distinct().sortedBy { it.asString() }.filter { '$' !in it.asString() }
            .mapNotNull { provider.getClassLikeSymbolByClassId(ClassId(FqName(pkg), it)) }
    }

    /** Simple name of a class that needs no import → that class. */
    val imported: Map<String, FirClassLikeSymbol<*>> by lazy {
        val m = HashMap<String, FirClassLikeSymbol<*>>()
        for (p in IMPORTED) for (s in classifiers(p)) if (shown(s)) m.putIfAbsent(s.name.asString(), s)
        m
    }
    fun target(s: FirClassLikeSymbol<*>): ClassId? = (s as? FirTypeAliasSymbol)?.resolvedExpandedTypeRef?.coneType?.fullyExpandedType(session)?.classId

    fun run() {
        val out = File(property("out")); val stats = StringBuilder("file\tsource\tlisted_classes\tlisted_callable_names\tfound\tnot_public\tdeprecated\tdoubles")
        stats.append("\ttop\tall\tbytes\ttop_no_arrays\tbytes_no_arrays\ttop_all_arrays\tbytes_all_arrays\n")
        val java = LinkedHashMap<ClassId, FirRegularClassSymbol>()
        for (pkg in property("packages").split(",")) {
            val names = provider.symbolNamesProvider.getTopLevelCallableNamesInPackage(FqName(pkg)) ?: error("no list of the functions of $pkg")
            val classes = classifiers(pkg)
            val callables = names.sortedBy { it.asString() }.flatMap { n ->
                provider.getTopLevelPropertySymbols(FqName(pkg), n) + provider.getTopLevelFunctionSymbols(FqName(pkg), n)
            }
            val found: List<FirBasedSymbol<*>> = classes + callables
            val public = found.filter { if (it is FirClassLikeSymbol<*>) it.rawStatus.visibility.isPublicAPI else (it as FirCallableSymbol<*>).rawStatus.visibility.isPublicAPI }
            val kept = public.filterNot(::gone)
            for (s in kept) if (s is FirTypeAliasSymbol) queue(target(s), java)
            val w = Writer(this, pkg, kept.mapNotNull { (it as? FirClassLikeSymbol<*>)?.name?.asString() }.toSet())
            // Context parameters and types with a context: the tree-sitter grammars do not know them yet and lose the lines after them as well.
            val (contextual, lines) = kept.map(w::top).partition { it.kind >= 2 && "context(" in it.text }
            if (contextual.isNotEmpty()) note("$pkg: left out for their context parameters: " + contextual.groupingBy { it.name }.eachCount())
            val source = if (pkg.startsWith("kotlinx.")) property("coroutines") else property("stdlib")
            stats.append(listOf("$pkg.kt", source, classes.size, names.size, found.size, found.size - public.size, public.size - kept.size).joinToString("\t"))
            write(out, pkg, "$source (Apache-2.0)", lines, w, stats)
        }
        for ((pkg, cs) in java.values.groupBy { it.classId.packageFqName.asString() }.toSortedMap()) {
            val w = Writer(this, pkg, cs.map { it.name.asString() }.toSet())
            val lines = cs.map(w::top)
            stats.append(listOf("$pkg.kt", property("jdk"), cs.size, 0, cs.size, 0, 0).joinToString("\t"))
            write(out, pkg, "the classes of ${property("jdk")} as Kotlin sees them", lines, w, stats)
        }
        File(property("stats")).writeText(stats.toString())
    }

    /** Notes a Java class that is to be written, and the Java classes it inherits from. */
    fun queue(c: ClassId?, to: MutableMap<ClassId, FirRegularClassSymbol>) {
        val s = c?.let { provider.getClassLikeSymbolByClassId(it) } as? FirRegularClassSymbol ?: return
        if (!isJava(s) || c in to) return
        if (shown(s)) to[c] = s
        for (t in s.resolvedSuperTypes) queue(t.lowerBoundIfFlexible().classId, to)
    }

    fun write(out: File, pkg: String, source: String, lines: List<Line>, w: Writer, stats: StringBuilder) {
        val unique = lines.sortedWith(ORDER).distinctBy { it.text }
        lines.groupBy { it.text }.values.filter { it.size > 1 }.forEach { note("$pkg: ${it.size} times ${it[0].text}") }
        fun text(ls: List<Line>): String {
            val b = StringBuilder("// Generated by make.sh from $source. Do not edit.\npackage $pkg\n")
            var last = -1
            for (l in ls) { if (l.kind != last) b.append('\n'); last = l.kind; b.append(l.text).append('\n') }
            return b.toString()
        }
        val kept = unique.filter { it.array != 2 }; val none = unique.filter { it.array == 0 }
        val t = text(kept)
        if (kept.isEmpty()) note("nothing in $pkg") else File(out, "$pkg.kt").writeText(t)
        // The members of what was left out are none: only extensions are left out.
        stats.append(listOf("", lines.size - unique.size, kept.size, kept.size + w.members, t.toByteArray().size, none.size, text(none).toByteArray().size,
            unique.size, text(unique).toByteArray().size).joinToString("\t")).append('\n')
    }
}

/** Writes declarations as they stand in package [pkg], whose own classes are called [own]. */
class Writer(val d: Dump, val pkg: String, val own: Set<String>) {
    val session = d.session
    /** How many members of classes were written. */
    var members = 0
    /** Names of the nested classes of the class that is being written: they hide other classes of that name. */
    var nested: Set<String> = emptySet()

    // ---- types ----

    fun name(c: ClassId): String {
        val p = c.packageFqName.asString(); val rel = c.relativeClassName.asString(); val first = rel.substringBefore('.')
        val known = d.imported[first]
        val simple = when {
            first in nested -> false
            p == pkg -> true
            first in own -> false
            p in IMPORTED -> known?.classId == c.outermostClassId
            // An alias such as kotlin.text.StringBuilder comes first, which is fine where it means this very class.
            p == "java.lang" -> known == null || d.target(known) == c.outermostClassId
            else -> false
        }
        return if (simple || p.isEmpty()) rel else "$p.$rel"
    }

    /** Of a Java type of unknown nullability the non-null form is written; [taken]: where a value is taken, the wider of the two bounds. */
    fun type(t: ConeKotlinType, taken: Boolean = false): String = when (t) {
        is ConeFlexibleType -> {
            val b = if (taken) t.upperBound else t.lowerBound
            type(if (b is ConeDefinitelyNotNullType) b.original else b).removeSuffix("?")
        }
        is ConeDefinitelyNotNullType -> type(t.original) + " & Any"
        is ConeTypeParameterType -> id(t.lookupTag.name) + mark(t)
        is ConeErrorType -> { d.note("no type in $pkg: $t"); "Any?" }
        is ConeClassLikeType -> classType(t)
        else -> { d.note("unexpected type in $pkg: $t"); "Any?" }
    }
    fun mark(t: ConeKotlinType) = if (t.isMarkedNullable) "?" else ""

    fun classType(t: ConeClassLikeType): String {
        val a = t.abbreviatedType as? ConeClassLikeType
        if (a != null && d.provider.getClassLikeSymbolByClassId(a.lookupTag.classId)?.let(d::shown) == true) return plain(a)
        return functionType(t) ?: plain(t)
    }
    fun plain(t: ConeClassLikeType): String {
        val args = t.typeArguments
        return name(t.lookupTag.classId) + (if (args.isEmpty()) "" else args.joinToString(", ", "<", ">") { argument(it) }) + mark(t)
    }
    fun argument(p: ConeTypeProjection): String = when (p) {
        is ConeStarProjection -> "*"
        is ConeKotlinTypeProjectionIn -> "in " + type(p.type)
        is ConeKotlinTypeProjectionOut -> "out " + type(p.type)
        is ConeKotlinType -> type(p)
        else -> { d.note("unexpected type argument in $pkg: $p"); "*" }
    }
    fun functionType(t: ConeClassLikeType): String? {
        val c = t.lookupTag.classId.asString()
        val suspend = FUNCTION.matchEntire(c)?.let { it.groupValues[1] != "" } ?: return null
        val all = t.typeArguments.map { it as? ConeKotlinType ?: return null }
        var args = all.dropLast(1)
        val n = t.contextParameterNumberForFunctionType
        val context = if (n == 0) "" else args.take(n).joinToString(", ", "context(", ") ") { type(it) }
        args = args.drop(n)
        val receiver = if (t.isExtensionFunctionType && args.isNotEmpty()) receiver(args[0]) else ""
        if (receiver != "") args = args.drop(1)
        val s = context + (if (suspend) "suspend " else "") + receiver +
            args.joinToString(", ", "(", ")") { a -> (a.valueParameterName(session)?.let { id(it) + ": " } ?: "") + type(a) } + " -> " + type(all.last())
        return if (t.isMarkedNullable) "($s)?" else s
    }
    /** A type in front of a dot. */
    fun receiver(t: ConeKotlinType): String = type(t).let { if (loose(it)) "($it)." else "$it." }
    /** Whether an arrow or `&` stands outside all brackets. */
    fun loose(s: String): Boolean {
        var depth = 0
        for (c in s.replace("->", "→")) when (c) { '(', '<' -> depth++; ')', '>' -> depth--; '→', '&' -> if (depth == 0) return true }
        return false
    }

    /** The list in angle brackets, and the where-clause, which only a parameter with several bounds needs. */
    fun typeParameters(ps: List<FirTypeParameterSymbol>): Pair<String, String> {
        if (ps.isEmpty()) return "" to ""
        val where = ArrayList<String>()
        val list = ps.joinToString(", ", "<", ">") { p ->
            val bounds = p.resolvedBounds.map { it.coneType }.filterNot { b -> b.upperBoundIfFlexible().let { it.classId?.asString() == "kotlin/Any" && it.isMarkedNullable } }
            if (bounds.size > 1) bounds.mapTo(where) { id(p.name) + " : " + type(it) }
            (if (p.isReified) "reified " else "") + (when (p.variance) { Variance.IN_VARIANCE -> "in "; Variance.OUT_VARIANCE -> "out "; else -> "" }) +
                id(p.name) + (bounds.singleOrNull()?.let { " : " + type(it) } ?: "")
        }
        return list to if (where.isEmpty()) "" else where.joinToString(", ", " where ")
    }

    // ---- functions and properties ----

    fun top(s: FirBasedSymbol<*>): Line = when (s) {
        is FirTypeAliasSymbol -> Line(0, s.name.asString(), alias(s))
        is FirRegularClassSymbol -> Line(1, s.name.asString(), classText(s, ""))
        is FirPropertySymbol -> Line(2, s.name.asString(), propertyText(s, null, false), array(s))
        is FirNamedFunctionSymbol -> Line(3, s.name.asString(), functionText(s, null, false), array(s))
        else -> error("unexpected declaration: $s")
    }
    fun array(s: FirCallableSymbol<*>): Int {
        val c = s.resolvedReceiverType?.classId?.takeIf { it.packageFqName.asString() == "kotlin" }?.relativeClassName?.asString()
        return if (c !in ARRAYS) 0 else if (c in ARRAYS_KEPT && s.name.asString() in NAMES_KEPT) 1 else 2
    }
    fun alias(s: FirTypeAliasSymbol): String {
        val (list, where) = typeParameters(s.ownTypeParameterSymbols)
        return "typealias " + id(s.name) + list + " = " + type(s.resolvedExpandedTypeRef.coneType) + where
    }

    fun visibility(s: FirDeclarationStatus) = if (s.visibility.name.startsWith("protected")) "protected " else ""
    fun modality(m: Modality?, owner: FirClassSymbol<*>?, override: Boolean): String {
        if (owner == null) return ""
        // Without bodies, `open` is what tells a default method of an interface from an abstract one.
        if (owner.classKind == ClassKind.INTERFACE) return if (m == Modality.OPEN) "open " else ""
        val final = owner.classKind != ClassKind.CLASS || owner.rawStatus.modality == Modality.FINAL
        return when (m) {
            Modality.ABSTRACT -> "abstract "
            Modality.OPEN -> if (override || final) "" else "open "
            Modality.FINAL -> if (override && !final) "final " else ""
            else -> ""
        }
    }
    fun context(s: FirCallableSymbol<*>): String =
        if (s.contextParameterSymbols.isEmpty()) "" else s.contextParameterSymbols.joinToString(", ", "context(", ") ") { contextName(it.name) + ": " + type(it.resolvedReturnType) }
    fun contextName(n: Name) = if (n.isSpecial) "_" else id(n)

    fun parameters(ps: List<FirValueParameterSymbol>, prefix: (FirValueParameterSymbol) -> String = { "" }): String = ps.joinToString(", ", "(", ")") { p ->
        val t = p.resolvedReturnType
        (if (p.isVararg) "vararg " else "") + prefix(p) + id(p.name) + ": " + (if (p.isVararg) element(t) else type(t, true)) +
            (if (p.hasDefaultValue) " = TODO()" else "")
    }
    /** The type of one argument of a vararg, whose own type is an array. */
    fun element(t: ConeKotlinType): String {
        val b = t.upperBoundIfFlexible()
        val arg = b.typeArguments.singleOrNull()
        return if (arg is ConeKotlinTypeProjection) type(arg.type, true) else b.classId!!.relativeClassName.asString().removeSuffix("Array")
    }

    fun functionText(f: FirNamedFunctionSymbol, owner: FirClassSymbol<*>?, override: Boolean): String {
        val s = f.rawStatus; val (list, where) = typeParameters(f.ownTypeParameterSymbols)
        return context(f) + visibility(s) + modality(s.modality, owner, override) + (if (override) "override " else "") + (if (s.isSuspend) "suspend " else "") +
            (if (s.isInline) "inline " else "") + (if (s.isInfix) "infix " else "") + (if (s.isOperator) "operator " else "") + "fun " +
            (if (list == "") "" else "$list ") + (f.resolvedReceiverType?.let { receiver(it) } ?: "") + id(f.name) + parameters(f.valueParameterSymbols) +
            ": " + type(f.resolvedReturnType) + where
    }
    /** Properties that can be set from where they can be read are `var`. */
    fun isVar(p: FirVariableSymbol<*>): Boolean {
        if (!p.isVar) return false
        val setter = (p as? FirPropertySymbol)?.setterSymbol?.rawStatus?.visibility ?: return true
        return setter.isPublicAPI && (setter == p.rawStatus.visibility || setter.name == "public")
    }
    fun propertyText(p: FirVariableSymbol<*>, owner: FirClassSymbol<*>?, override: Boolean): String {
        val s = p.rawStatus; val (list, where) = typeParameters(p.ownTypeParameterSymbols)
        val inline = (p as? FirPropertySymbol)?.getterSymbol?.rawStatus?.isInline == true
        return context(p) + visibility(s) + modality(s.modality, owner, override) + (if (s.isConst) "const " else "") + (if (override) "override " else "") +
            (if (s.isLateInit) "lateinit " else "") + (if (inline) "inline " else "") + (if (isVar(p)) "var " else "val ") + (if (list == "") "" else "$list ") +
            (p.resolvedReceiverType?.let { receiver(it) } ?: "") + id(p.name) + ": " + type(p.resolvedReturnType) + where
    }

    // ---- classes ----

    /** Supertypes; in the place of one that is not shown stand its own. What is passed over is added to [hidden]. */
    fun supertypes(c: FirClassSymbol<*>, hidden: MutableSet<ClassId>): List<ConeKotlinType> = c.resolvedSuperTypes.map { it.lowerBoundIfFlexible() }.flatMap { t ->
        val k = t.classId?.asString()
        val s = t.classId?.let { d.provider.getClassLikeSymbolByClassId(it) } as? FirRegularClassSymbol
        when {
            k == "kotlin/Any" || k == "java/lang/Object" -> emptyList()
            k == "kotlin/Enum" && c.classKind == ClassKind.ENUM_CLASS || k == "kotlin/Annotation" && c.classKind == ClassKind.ANNOTATION_CLASS -> emptyList()
            s == null || d.shown(s) -> listOf(t)
            else -> { hidden += s.classId; supertypes(s, hidden).map { (t as ConeClassLikeType).substitutorForSuperType(session, s).substituteOrSelf(it) } }
        }
    }

    fun classText(c: FirRegularClassSymbol, indent: String): String {
        val outer = nested
        val scope = with(d.ctx) { c.unsubstitutedScope() }
        val declared = c.fir.declarations.mapTo(HashSet()) { it.symbol }
        val java = d.isJava(c)
        val classes = c.declaredMemberScope(session, null).getClassifierNames().sortedBy { it.asString() }
            .mapNotNull { d.provider.getClassLikeSymbolByClassId(c.classId.createNestedClassId(it)) }.filter(d::shown)
        nested = outer + classes.map { it.name.asString() }
        val hidden = HashSet<ClassId>()
        val supers = supertypes(c, hidden).map { type(it) }.distinct()

        // What the class itself has, and what it inherits from a class that has no stub.
        fun ours(s: FirCallableSymbol<*>): Boolean {
            val o = s.unwrapFakeOverridesOrDelegated()
            return if (s.origin is FirDeclarationOrigin.SubstitutionOverride || s.origin == FirDeclarationOrigin.IntersectionOverride) o.callableId?.classId in hidden
            else s.callableId?.classId.let { it == c.classId || it in hidden }
        }
        fun wanted(s: FirCallableSymbol<*>) = ours(s) && !s.rawStatus.isStatic && d.shown(s) &&
            s.fir.hiddenEverywhereBesideSuperCallsStatus == null && s.fir.isHiddenToOvercomeSignatureClash != true
        val functions = scope.getCallableNames().flatMap { scope.getFunctions(it) }.filter(::wanted)
        val properties = scope.getCallableNames().flatMap { scope.getProperties(it) }.filter(::wanted)
        /** Whether a class that has a stub has this too; a Java field overrides nothing. */
        fun overrides(s: FirCallableSymbol<*>): Boolean {
            var found = false
            fun see(o: FirCallableSymbol<*>): ProcessorAction {
                if ((o.callableId?.classId ?: c.classId) !in hidden) found = true
                return if (found) ProcessorAction.STOP else ProcessorAction.NEXT
            }
            if (s is FirNamedFunctionSymbol) scope.processOverriddenFunctions(s, ::see) else if (s is FirPropertySymbol) scope.processOverriddenProperties(s, ::see)
            return found
        }

        val s = c.rawStatus
        val constructors = if (c.classKind == ClassKind.CLASS || c.classKind == ClassKind.ANNOTATION_CLASS) scope.getDeclaredConstructors().filter(d::shown) else emptyList()
        val primary = constructors.find { it.isPrimary }
        // There every parameter of the constructor is a property as well.
        val withVals = s.isData || s.isValue || s.isInline || c.classKind == ClassKind.ANNOTATION_CLASS
        val inHeader = HashSet<String>()
        val header = when {
            primary != null -> {
                val v = visibility(primary.rawStatus)
                val list = parameters(primary.valueParameterSymbols) { p ->
                    val q = properties.find { withVals && it.name == p.name && it.resolvedReceiverType == null }
                    if (q == null) "" else { inHeader += q.name.asString(); (if (overrides(q)) "override " else "") + if (isVar(q)) "var " else "val " }
                }
                if (v == "") list else " ${v}constructor$list"
            }
            // Without this it would look as if it had a constructor without parameters.
            c.classKind == ClassKind.CLASS && constructors.isEmpty() -> " private constructor()"
            else -> ""
        }
        val abstractFunctions = if (java && c.classKind == ClassKind.INTERFACE)
            scope.getCallableNames().flatMap { n -> scope.getFunctions(n).filter { it.rawStatus.modality == Modality.ABSTRACT } + scope.getProperties(n).filter { it.rawStatus.modality == Modality.ABSTRACT } }
                .count { it.name.asString() !in OF_ANY } else 0
        val sam = if (java) abstractFunctions == 1 else s.isFun
        val (list, where) = typeParameters(c.ownTypeParameterSymbols)
        val companion = c.rawStatus.isCompanion
        val b = StringBuilder()
        b.append(visibility(s))
        when (s.modality) {
            Modality.SEALED -> b.append("sealed ")
            Modality.ABSTRACT -> if (c.classKind == ClassKind.CLASS) b.append("abstract ")
            Modality.OPEN -> if (c.classKind == ClassKind.CLASS) b.append("open ")
            else -> {}
        }
        if (s.isInner) b.append("inner ")
        if (s.isData) b.append("data ")
        if (s.isValue || s.isInline) b.append("value ")
        if (companion) b.append("companion ")
        b.append(when (c.classKind) {
            ClassKind.INTERFACE -> if (sam) "fun interface" else "interface"
            ClassKind.ENUM_CLASS -> "enum class"
            ClassKind.ANNOTATION_CLASS -> "annotation class"
            ClassKind.OBJECT -> "object"
            else -> "class"
        })
        if (!companion || c.name.asString() != "Companion") b.append(' ').append(id(c.name))
        b.append(list).append(header)
        if (supers.isNotEmpty()) b.append(" : ").append(supers.joinToString(", "))
        b.append(where)

        val deeper = "$indent    "
        val entries = c.fir.declarations.filterIsInstance<FirEnumEntry>().map { id(it.name) }
        val body = ArrayList<String>()
        if (entries.isNotEmpty()) body += entries.joinToString(", ") + ";"
        constructors.filter { it != primary }.map { visibility(it.rawStatus) + "constructor" + parameters(it.valueParameterSymbols) }.sorted().forEach { body += it }
        members += entries.size + constructors.size
        /** Whether [s] is neither written in [c] nor inherited from a hidden class: then it comes from the Java class that [c] stands for. */
        fun behind(s: FirCallableSymbol<*>) = !java && s !in declared && s.callableId?.classId == c.classId && s.unwrapFakeOverridesOrDelegated().callableId?.classId !in hidden
        val lines = ArrayList<Line>(); val mapped = ArrayList<Line>()
        for (n in classes) when (n) {
            is FirTypeAliasSymbol -> lines += Line(0, n.name.asString(), alias(n))
            is FirRegularClassSymbol -> lines += Line(1, n.name.asString(), classText(n, deeper))
            else -> {}
        }
        for (p in properties) if (p.name.asString() !in inHeader) {
            val l = Line(2, p.name.asString(), propertyText(p, c, overrides(p)))
            if (behind(p)) mapped += l else lines += l
        }
        for (f in functions) {
            val l = Line(3, f.name.asString(), functionText(f, c, overrides(f)))
            if (behind(f)) mapped += l else lines += l
        }
        fun add(ls: List<Line>) { for (l in ls.sortedWith(ORDER).distinctBy { it.text }) { body += l.text; members++ } }
        add(lines)
        if (mapped.isNotEmpty()) { body += "// Of the Java class behind it:"; add(mapped) }
        if (java) statics(c).let { if (it.isNotEmpty()) body += it.joinToString("\n", "companion object {\n", "\n$deeper}") { l -> "$deeper    $l" } }
        if (body.isNotEmpty()) b.append(body.joinToString("\n", " {\n", "\n$indent}") { deeper + it })
        nested = outer
        return b.toString()
    }

    /** Kotlin has no static members; in a companion object they are found under the same names. */
    fun statics(c: FirRegularClassSymbol): List<String> {
        val scope = c.fir.scopeProvider.getStaticCallableMemberScope(c.fir, session, d.ctx.scopeSession) ?: return emptyList()
        fun wanted(s: FirCallableSymbol<*>) = s.callableId?.classId == c.classId && s.rawStatus.isStatic && d.shown(s)
        val lines = scope.getCallableNames().flatMap { n ->
            scope.getProperties(n).filter(::wanted).map { Line(2, n.asString(), propertyText(it, null, false)) } +
                scope.getFunctions(n).filter(::wanted).map { Line(3, n.asString(), functionText(it, null, false)) }
        }.sortedWith(ORDER).map { it.text }.distinct()
        members += lines.size
        return lines
    }
}

val FUNCTION = Regex("kotlin/(?:Function|(coroutines/Suspend)Function)\\d+")
val OF_ANY = setOf("equals", "hashCode", "toString")
