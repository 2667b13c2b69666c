//! A Kotlin file: its text, its tree, its imports and its declarations.

use std::sync::OnceLock;

use super::conventions::FileConventions;
use super::declarations::{DeclarationKind, KotlinDeclaration, declarations, is_class_node};
use symd_base::{ContentHash, Text, TextRange};
use symd_syntax::kotlin::KotlinNode;
use symd_syntax::{FlatTree, NodeId};

/// An import of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KotlinImport {
    /// The path with dots, without backticks.
    pub(super) path: String,
    pub(super) alias: Option<String>,
    /// `import a.b.*`; the path is `a.b`.
    pub(super) is_star: bool,
}

impl KotlinImport {
    /// Returns the name that the import binds; `None` for a star.
    pub(super) fn bound(&self) -> Option<&str> {
        (!self.is_star).then(|| self.alias.as_deref().unwrap_or_else(|| self.last_name()))
    }

    /// Returns the last name of the path.
    pub(super) fn last_name(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or(&self.path)
    }
}

/// A parsed file with its declarations.
#[derive(Debug)]
pub struct SourceFile {
    text: Text,
    tree: FlatTree,
    pub(super) package: String,
    pub(super) imports: Vec<KotlinImport>,
    /// In the order of their nodes, of which each declares one at most.
    pub(super) declarations: Vec<KotlinDeclaration>,
    /// The numbers of all declarations, each with its scope, in ascending order.
    by_scope: Vec<(NodeId, u32)>,
    conventions: FileConventions,
    /// The hash of what other files see of it.
    pub(super) outward: OnceLock<ContentHash>,
}

impl SourceFile {
    /// Reads the declarations from the tree of the text.
    pub fn new(text: Text, tree: FlatTree) -> SourceFile {
        let mut file = SourceFile {
            text,
            tree,
            package: String::new(),
            imports: Vec::new(),
            declarations: Vec::new(),
            by_scope: Vec::new(),
            conventions: FileConventions::default(),
            outward: OnceLock::new(),
        };
        file.read_header();
        file.declarations = declarations(&file);
        file.declarations.shrink_to_fit();
        file.by_scope = file.declarations.iter().map(|declaration| declaration.scope).zip(0..).collect();
        file.by_scope.sort_unstable();
        file.conventions = FileConventions::of(&file);
        file
    }

    fn read_header(&mut self) {
        let Some(root) = self.tree.root() else { return };
        let mut imports = Vec::new();
        let mut package = String::new();
        for child in self.children(root) {
            match self.kind(child) {
                KotlinNode::PackageHeader => {
                    package = self
                        .child(child, KotlinNode::Identifier)
                        .map_or(String::new(), |path| self.path(path));
                }
                KotlinNode::ImportList => {
                    imports.extend(self.children(child).filter_map(|import| self.import(import)));
                }
                _ => {}
            }
        }
        imports.shrink_to_fit();
        self.imports = imports;
        self.package = package;
    }

    fn import(&self, node: NodeId) -> Option<KotlinImport> {
        let path = self.path(self.child(node, KotlinNode::Identifier)?);
        let alias = self
            .child(node, KotlinNode::ImportAlias)
            .and_then(|alias| self.child(alias, KotlinNode::TypeIdentifier))
            .map(|name| self.name_text(name).to_owned());
        let is_star = self.child(node, KotlinNode::WildcardImport).is_some();
        Some(KotlinImport { path, alias, is_star })
    }

    /// Joins the identifiers of a path, without backticks.
    fn path(&self, node: NodeId) -> String {
        let names = self.children(node).filter(|part| self.kind(*part) == KotlinNode::SimpleIdentifier);
        names.map(|part| self.name_text(part)).collect::<Vec<_>>().join(".")
    }

    pub(super) fn tree(&self) -> &FlatTree {
        &self.tree
    }

    pub(super) fn kind(&self, node: NodeId) -> KotlinNode {
        KotlinNode::of(self.tree.kind(node))
    }

    pub(super) fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.tree.parent(node)
    }

    /// Iterates over the children that are no comments.
    pub(super) fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.tree.children(node).filter(|child| {
            !matches!(self.kind(*child), KotlinNode::LineComment | KotlinNode::MultilineComment)
        })
    }

    /// Returns the first child of a kind.
    pub(super) fn child(&self, node: NodeId, kind: KotlinNode) -> Option<NodeId> {
        self.children(node).find(|child| self.kind(*child) == kind)
    }

    /// Iterates over the node's ancestors, from its parent outwards.
    pub(super) fn ancestors(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(node), |above| self.parent(*above))
    }

    pub(super) fn range(&self, node: NodeId) -> TextRange {
        self.tree.range(node)
    }

    pub(super) fn text_of(&self, node: NodeId) -> &str {
        self.slice(self.tree.range(node))
    }

    /// Returns the text at a range; empty where there is none.
    pub fn slice(&self, range: TextRange) -> &str {
        self.text.as_str().get(range.as_range()).unwrap_or("")
    }

    /// Returns the number of bytes of the text.
    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.text.as_str().len()).unwrap_or(u32::MAX)
    }

    /// Returns an identifier without backticks.
    pub(super) fn name_text(&self, node: NodeId) -> &str {
        self.text_of(node).trim_matches('`')
    }

    /// Returns the declaration that a node is.
    pub(super) fn declaration_of(&self, node: NodeId) -> Option<usize> {
        self.declarations.binary_search_by_key(&node, |declaration| declaration.node).ok()
    }

    /// Returns the name of a declaration; `Companion` for a companion without one, empty for what has none.
    pub(super) fn name_of(&self, declaration: usize) -> &str {
        let declaration = &self.declarations[declaration];
        match (declaration.name, declaration.kind) {
            (Some(name), _) => self.name_text(name),
            (None, DeclarationKind::Companion) => "Companion",
            (None, _) => "",
        }
    }

    /// Iterates over the declarations that belong to a scope and have the name.
    pub(super) fn in_scope<'f>(
        &'f self,
        scope: NodeId,
        name: &'f str,
    ) -> impl Iterator<Item = usize> + use<'f> {
        self.all_in_scope(scope).filter(move |declaration| self.name_of(*declaration) == name)
    }

    /// Iterates over the declarations that belong to a scope.
    pub(super) fn all_in_scope(&self, scope: NodeId) -> impl Iterator<Item = usize> + use<'_> {
        let first = self.by_scope.partition_point(|(known, _)| *known < scope);
        let of_scope = self.by_scope[first..].iter().take_while(move |(known, _)| *known == scope);
        of_scope.map(|(_, number)| *number as usize)
    }

    /// Returns the identifier at these bytes; backticks may or may not be included.
    pub(super) fn identifier_at(&self, range: TextRange) -> Option<NodeId> {
        let quoted = TextRange::new(range.start.saturating_sub(1), range.end.saturating_add(1));
        let at = |range: TextRange| self.tree.at(range.start, range.end);
        // `name@` is one token.
        let label = || at(TextRange::new(range.start, range.end.saturating_add(1)));
        let node = at(range).or_else(|| at(quoted)).or_else(label)?;
        // A soft keyword used as a name is a token below the identifier.
        std::iter::once(node).chain(self.ancestors(node).take(1)).find(|node| {
            matches!(
                self.kind(*node),
                KotlinNode::SimpleIdentifier
                    | KotlinNode::TypeIdentifier
                    | KotlinNode::InterpolatedIdentifier
                    | KotlinNode::InterpolatedExpression
                    | KotlinNode::Label
            )
        })
    }

    /// Returns about how many bytes of memory it takes.
    pub fn memory(&self) -> usize {
        let declarations = self.declarations.capacity() * size_of::<KotlinDeclaration>()
            + self.by_scope.capacity() * size_of::<(NodeId, u32)>();
        self.text.as_str().len() + self.tree.memory() + declarations
    }

    /// Returns what the language may call in the file without naming it.
    pub fn conventions(&self) -> FileConventions {
        self.conventions
    }

    /// Returns the package that the file declares; empty for none.
    pub fn package(&self) -> &str {
        &self.package
    }

    /// Iterates over the names that the file declares outside of classes and functions.
    pub fn top_level_names(&self) -> impl Iterator<Item = &str> {
        let root = self.tree.root().into_iter();
        root.flat_map(|root| self.all_in_scope(root)).map(|number| self.name_of(number))
    }

    /// Iterates over the names of the members of its classes.
    pub fn member_names(&self) -> impl Iterator<Item = &str> {
        self.class_members().map(|number| self.name_of(number))
    }

    /// Iterates over the declarations that belong to classes.
    pub(super) fn class_members(&self) -> impl Iterator<Item = usize> + use<'_> {
        let is_member = |number: &usize| is_class_node(self, self.declarations[*number].scope);
        (0..self.declarations.len()).filter(is_member)
    }

    /// Returns the name of a declaration; empty for one without a name.
    pub fn name_at(&self, declaration: usize) -> &str {
        self.name_of(declaration)
    }

    /// Returns where the name of a declaration stands, in bytes, without backticks; `None` for one without a name.
    pub fn name_range(&self, declaration: usize) -> Option<TextRange> {
        let name = self.declarations[declaration].name?;
        let (range, quotes) = (self.range(name), u32::from(self.text_of(name).starts_with('`')));
        Some(TextRange::new(range.start + quotes, range.end - quotes))
    }

    /// Returns the range of the outermost function around a place, in bytes; `None` outside of functions.
    pub fn function_around(&self, range: TextRange) -> Option<TextRange> {
        let node = self.identifier_at(range)?;
        let is_function = |above: &NodeId| self.kind(*above) == KotlinNode::FunctionDeclaration;
        self.ancestors(node).filter(is_function).last().map(|function| self.range(function))
    }

    /// Returns the range of a declaration, in bytes.
    pub fn range_of(&self, declaration: usize) -> TextRange {
        self.range(self.declarations[declaration].node)
    }

    /// Iterates over the kinds of all declarations, in their order.
    pub fn declaration_kinds(&self) -> impl Iterator<Item = DeclarationKind> {
        self.declarations.iter().map(|one| one.kind)
    }

    pub fn kind_at(&self, declaration: usize) -> DeclarationKind {
        self.declarations[declaration].kind
    }
}
