import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import com.sun.tools.javac.code.Symbol;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.tools.ToolProvider;
import org.jetbrains.kotlin.metadata.ProtoBuf;
import org.jetbrains.kotlin.metadata.deserialization.Flags;
import org.jetbrains.kotlin.metadata.deserialization.NameResolver;
import org.jetbrains.kotlin.metadata.deserialization.TypeTable;
import org.jetbrains.kotlin.metadata.jvm.JvmProtoBuf;
import org.jetbrains.kotlin.metadata.jvm.deserialization.JvmMemberSignature;
import org.jetbrains.kotlin.metadata.jvm.deserialization.JvmProtoBufUtil;

/**
 * What the names in Java files mean, as javac resolves them, of what Kotlin declares. Writes a line for each: the file, the
 * line, the name as it is written, the file that declares the symbol, its kind and its name path; of overloads with their number.
 * Kotlin's names come from the metadata that its compiler writes into class files.
 *
 * Arguments: the folder of Kotlin's class files with its library, as a class path; then Java's files. See make.sh.
 */
public class JavaUses {
    /** The JVM's names of a class's members, and what they are in Kotlin. */
    private final Map<Element, Map<String, String>> known = new HashMap<>();
    private final TreeSet<String> rows = new TreeSet<>();

    public static void main(String[] arguments) throws Exception {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var manager = compiler.getStandardFileManager(null, null, null);
        var paths = new ArrayList<Path>();
        for (int at = 1; at < arguments.length; at++) paths.add(Path.of(arguments[at]));
        var options = List.of("-proc:none", "-cp", arguments[0]);
        var task = (JavacTask) compiler.getTask(null, manager, null, options, null, manager.getJavaFileObjectsFromPaths(paths));
        Iterable<? extends CompilationUnitTree> units = task.parse();
        task.analyze();
        var uses = new JavaUses();
        for (var unit : units) uses.read(unit, Trees.instance(task));
        uses.rows.forEach(System.out::println);
    }

    private void read(CompilationUnitTree unit, Trees trees) {
        SourcePositions positions = trees.getSourcePositions();
        String file = unit.getSourceFile().getName();
        new TreePathScanner<Void, Void>() {
            void note(Tree tree, long start, String name, Element meant) {
                String declared = meant == null || start < 0 ? null : declaration(meant);
                if (declared == null) return;
                long line = unit.getLineMap().getLineNumber(start);
                rows.add(String.format("%s\t%05d\t%s\t%s", file, line, name, declared));
            }

            void behind(Tree tree, CharSequence name) {
                long end = positions.getEndPosition(unit, tree);
                note(tree, end - name.length(), name.toString(), trees.getElement(getCurrentPath()));
            }

            @Override
            public Void visitIdentifier(IdentifierTree tree, Void none) {
                long start = positions.getStartPosition(unit, tree);
                String name = tree.getName().toString();
                // A constructor's call of another one has no name that is written.
                if (!name.equals("super") && !name.equals("this")) note(tree, start, name, trees.getElement(getCurrentPath()));
                return null;
            }

            @Override
            public Void visitMemberSelect(MemberSelectTree tree, Void none) {
                behind(tree, tree.getIdentifier());
                return super.visitMemberSelect(tree, none);
            }

            @Override
            public Void visitMemberReference(MemberReferenceTree tree, Void none) {
                if (!tree.getName().contentEquals("<init>")) behind(tree, tree.getName());
                return super.visitMemberReference(tree, none);
            }
        }.scan(unit, null);
    }

    /** Returns the file, the kind and the name path of a declaration; null for what is none of Kotlin's. */
    private String declaration(Element meant) {
        if (meant instanceof Symbol.ClassSymbol one) {
            Metadata of = metadata(one);
            return of == null || of.classData == null ? null : of.file + "\tclass\t" + of.path();
        }
        if (!(meant.getEnclosingElement() instanceof Symbol.ClassSymbol owner) || metadata(owner) == null) return null;
        String name = meant.getSimpleName().toString();
        String signature = meant instanceof Symbol.MethodSymbol method ? name + descriptor(method) : name;
        return found(owner, signature);
    }

    /** Searches the classes above, too: a class has bridges to what its interfaces declare with a body. */
    private String found(Symbol.ClassSymbol owner, String signature) {
        if (metadata(owner) == null) return null;
        String own = members(owner).get(signature);
        if (own != null) return own;
        var above = new ArrayList<com.sun.tools.javac.code.Type>(owner.getInterfaces());
        above.add(owner.getSuperclass());
        for (var type : above) {
            String inherited = type.tsym instanceof Symbol.ClassSymbol one ? found(one, signature) : null;
            if (inherited != null) return inherited;
        }
        return null;
    }

    private static String descriptor(Symbol.MethodSymbol method) {
        var text = new StringBuilder("(");
        for (var parameter : method.type.getParameterTypes()) text.append(erasedName(parameter)).append(',');
        return text.append(')').toString();
    }

    /** Returns the simple name of a type without type arguments: enough to tell overloads apart. */
    private static String erasedName(com.sun.tools.javac.code.Type type) {
        if (type instanceof com.sun.tools.javac.code.Type.ArrayType array) return erasedName(array.elemtype) + "[]";
        var bound = type.getUpperBound();
        if (type instanceof com.sun.tools.javac.code.Type.TypeVar && bound != null) return erasedName(bound);
        return type.tsym.flatName().toString();
    }

    /** The same of a method's descriptor in a class file. */
    private static String parameters(String descriptor) {
        var text = new StringBuilder("(");
        int at = 1;
        while (descriptor.charAt(at) != ')') {
            int arrays = 0;
            while (descriptor.charAt(at) == '[') { arrays++; at++; }
            String name;
            if (descriptor.charAt(at) == 'L') {
                int end = descriptor.indexOf(';', at);
                name = descriptor.substring(at + 1, end).replace('/', '.');
                at = end + 1;
            } else {
                name = switch (descriptor.charAt(at++)) {
                    case 'I' -> "int"; case 'J' -> "long"; case 'Z' -> "boolean"; case 'D' -> "double"; case 'F' -> "float";
                    case 'B' -> "byte"; case 'S' -> "short"; case 'C' -> "char"; default -> "void";
                };
            }
            text.append(name).append("[]".repeat(arrays)).append(',');
        }
        return text.append(')').toString();
    }

    private Map<String, String> members(Symbol.ClassSymbol owner) {
        var found = known.get(owner);
        if (found != null) return found;
        var all = new HashMap<String, String>();
        Metadata own = metadata(owner);
        add(own, all);
        // What a companion declares for its class stands in the class, too.
        if (own.classData != null && own.classData.hasCompanionObjectName()) {
            String name = own.names.getString(own.classData.getCompanionObjectName());
            for (var inner : owner.getEnclosedElements())
                if (inner instanceof Symbol.ClassSymbol companion && companion.getSimpleName().contentEquals(name)) add(metadata(companion), all);
        }
        known.put(owner, all);
        return all;
    }

    private void add(Metadata of, Map<String, String> all) {
        var counts = new HashMap<String, Integer>();
        List<ProtoBuf.Function> functions = of.classData != null ? of.classData.getFunctionList() : of.packageData.getFunctionList();
        List<ProtoBuf.Property> properties = of.classData != null ? of.classData.getPropertyList() : of.packageData.getPropertyList();
        TypeTable table = new TypeTable(of.classData != null ? of.classData.getTypeTable() : of.packageData.getTypeTable());
        for (var function : functions) {
            if (Flags.MEMBER_KIND.get(function.getFlags()) != ProtoBuf.MemberKind.DECLARATION) continue;
            String name = of.names.getString(function.getName());
            int number = counts.merge(name, 1, Integer::sum) - 1;
            JvmMemberSignature.Method signature = JvmProtoBufUtil.INSTANCE.getJvmMethodSignature(function, of.names, table);
            String path = of.member(name) + "[" + number + "]";
            String told = of.file + "\tfunction\t" + path;
            all.putIfAbsent(signature.getName() + parameters(signature.getDesc()), told);
            // `@JvmOverloads` leaves parameters out at the end, those with defaults.
            for (String shorter : shorter(signature.getDesc(), function)) all.putIfAbsent(signature.getName() + shorter, told);
        }
        for (var property : properties) {
            String told = of.file + "\tproperty\t" + of.member(of.names.getString(property.getName()));
            var signature = property.hasExtension(JvmProtoBuf.propertySignature) ? property.getExtension(JvmProtoBuf.propertySignature) : null;
            if (signature == null) continue;
            for (var accessor : List.of(signature.getGetter(), signature.getSetter()))
                if (accessor.hasName()) all.putIfAbsent(of.names.getString(accessor.getName()) + parameters(of.names.getString(accessor.getDesc())), told);
            var field = JvmProtoBufUtil.INSTANCE.getJvmFieldSignature(property, of.names, table, false);
            if (field != null) all.putIfAbsent(field.getName(), told);
        }
        if (of.classData != null) {
            for (var entry : of.classData.getEnumEntryList()) {
                String name = of.names.getString(entry.getName());
                all.putIfAbsent(name, of.file + "\tentry\t" + of.member(name));
            }
        }
    }

    private static List<String> shorter(String descriptor, ProtoBuf.Function function) {
        var found = new ArrayList<String>();
        var all = new ArrayList<>(List.of(parameters(descriptor).replaceAll("[()]", "").split(",")));
        int skipped = all.size() - function.getValueParameterCount();
        var kept = new ArrayList<>(all);
        for (int at = function.getValueParameterCount() - 1; at >= 0; at--) {
            if (!Flags.DECLARES_DEFAULT_VALUE.get(function.getValueParameter(at).getFlags())) continue;
            kept.remove(skipped + at);
            found.add("(" + String.join("", kept.stream().map(one -> one + ",").toList()) + ")");
        }
        return found;
    }

    /** What Kotlin's compiler writes of a class file. */
    private static final class Metadata {
        String file;
        NameResolver names;
        ProtoBuf.Class classData;
        ProtoBuf.Package packageData;

        String path() {
            String name = names.getQualifiedClassName(classData.getFqName());
            return name.substring(name.lastIndexOf('/') + 1).replace('.', '/');
        }

        String member(String name) {
            return classData == null ? name : path() + "/" + name;
        }
    }

    private static Metadata metadata(Symbol.ClassSymbol one) {
        one.complete();
        for (AnnotationMirror mirror : one.getAnnotationMirrors()) {
            if (!mirror.getAnnotationType().toString().equals("kotlin.Metadata")) continue;
            int kind = 1;
            String[] first = {}, second = {};
            for (var entry : mirror.getElementValues().entrySet()) {
                Object value = entry.getValue().getValue();
                switch (entry.getKey().getSimpleName().toString()) {
                    case "k" -> kind = (Integer) value;
                    case "d1" -> first = strings(value);
                    case "d2" -> second = strings(value);
                    default -> { }
                }
            }
            var found = new Metadata();
            String source = one.sourcefile == null ? one.outermostClass().sourcefile.getName() : one.sourcefile.getName();
            String folder = one.packge().fullname.toString().replace('.', '/');
            found.file = folder + "/" + source.substring(source.lastIndexOf('/') + 1);
            if (kind == 1) {
                var read = JvmProtoBufUtil.readClassDataFrom(first, second);
                found.names = read.getFirst();
                found.classData = read.getSecond();
            } else if (kind == 2 || kind == 5) {
                var read = JvmProtoBufUtil.readPackageDataFrom(first, second);
                found.names = read.getFirst();
                found.packageData = read.getSecond();
            } else {
                return null;
            }
            return found;
        }
        return null;
    }

    private static String[] strings(Object values) {
        var found = new ArrayList<String>();
        for (Object value : (List<?>) values) found.add((String) ((AnnotationValue) value).getValue());
        return found.toArray(String[]::new);
    }
}
