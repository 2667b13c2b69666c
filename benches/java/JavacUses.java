import com.sun.source.tree.ClassTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.tools.ToolProvider;

/**
 * What the names in Java files mean, as javac resolves them, of what these files declare. Writes a line for each use of a class, field, method or
 * enum constant: file, line, name, declaring file, line of the declaration's name, kind. Locals and parameters are left out.
 *
 * Arguments: a class path, which may be empty; then the files.
 */
public class JavacUses {
    private static final Set<ElementKind> LEFT_OUT = EnumSet.of(
        ElementKind.LOCAL_VARIABLE, ElementKind.PARAMETER, ElementKind.EXCEPTION_PARAMETER, ElementKind.RESOURCE_VARIABLE,
        ElementKind.BINDING_VARIABLE, ElementKind.TYPE_PARAMETER, ElementKind.PACKAGE, ElementKind.CONSTRUCTOR);

    private final Trees trees;
    private final SourcePositions positions;
    private final TreeSet<String> rows = new TreeSet<>();

    private JavacUses(Trees trees) {
        this.trees = trees;
        this.positions = trees.getSourcePositions();
    }

    public static void main(String[] arguments) throws Exception {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var manager = compiler.getStandardFileManager(null, null, null);
        var paths = new ArrayList<Path>();
        for (int at = 1; at < arguments.length; at++) paths.add(Path.of(arguments[at]));
        var options = new ArrayList<>(List.of("-proc:none"));
        if (!arguments[0].isEmpty()) options.addAll(List.of("-cp", arguments[0]));
        var task = (JavacTask) compiler.getTask(null, manager, null, options, null, manager.getJavaFileObjectsFromPaths(paths));
        var units = task.parse();
        task.analyze();
        var uses = new JavacUses(Trees.instance(task));
        for (var unit : units) uses.read(new TreePath(unit));
        uses.rows.forEach(System.out::println);
    }

    private void read(TreePath whole) throws IOException {
        var unit = whole.getCompilationUnit();
        var text = unit.getSourceFile().getCharContent(true).toString();
        var lines = unit.getLineMap();
        new TreePathScanner<Void, Void>() {
            void note(long start, String name) {
                var meant = trees.getElement(getCurrentPath());
                if (meant == null || start < 0 || LEFT_OUT.contains(meant.getKind()) || !text.startsWith(name, (int) start)) return;
                var declared = declaration(meant);
                if (declared == null) return;
                rows.add(String.join("\t", unit.getSourceFile().getName(), line(lines, start), name, declared, meant.getKind().toString()));
            }

            void behind(Tree tree, String name) {
                note(positions.getEndPosition(unit, tree) - name.length(), name);
            }

            @Override
            public Void visitIdentifier(IdentifierTree tree, Void none) {
                note(positions.getStartPosition(unit, tree), tree.getName().toString());
                return null;
            }

            @Override
            public Void visitMemberSelect(MemberSelectTree tree, Void none) {
                behind(tree, tree.getIdentifier().toString());
                return super.visitMemberSelect(tree, none);
            }

            @Override
            public Void visitMemberReference(MemberReferenceTree tree, Void none) {
                behind(tree, tree.getName().toString());
                return super.visitMemberReference(tree, none);
            }
        }.scan(whole, null);
    }

    /** Returns the file and the line of the name of a declaration; null for one in no file that was read. */
    private String declaration(Element element) {
        var path = trees.getPath(element);
        if (path == null) return null;
        var unit = path.getCompilationUnit();
        var tree = path.getLeaf();
        Tree before = null;
        if (tree instanceof MethodTree method) before = method.getReturnType() == null ? method.getModifiers() : method.getReturnType();
        if (tree instanceof VariableTree variable) before = variable.getType();
        if (tree instanceof ClassTree declared) before = declared.getModifiers();
        long from = Math.max(positions.getStartPosition(unit, tree), before == null ? 0 : positions.getEndPosition(unit, before));
        try {
            var text = unit.getSourceFile().getCharContent(true);
            var name = Pattern.compile("\\b" + Pattern.quote(element.getSimpleName().toString()) + "\\b").matcher(text);
            return name.find((int) from) ? unit.getSourceFile().getName() + "\t" + line(unit.getLineMap(), name.start()) : null;
        } catch (IOException problem) {
            return null;
        }
    }

    private static String line(LineMap lines, long at) {
        return Long.toString(lines.getLineNumber(at));
    }
}
