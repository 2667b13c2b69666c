//! What Java's and Kotlin's own generic classes return and give to lambdas, in terms of their type arguments. Only what
//! these classes have under names that no other class uses otherwise; what is not listed is unknown.

use super::ValueType;

const MAPS: [&str; 11] = [
    "Map",
    "HashMap",
    "LinkedHashMap",
    "TreeMap",
    "SortedMap",
    "NavigableMap",
    "ConcurrentMap",
    "ConcurrentHashMap",
    "EnumMap",
    "WeakHashMap",
    "MutableMap",
];

/// Classes that hold values of their only type argument.
const HOLDERS: [&str; 41] = [
    "ArrayDeque",
    "ArrayList",
    "AtomicReference",
    "BlockingQueue",
    "Callable",
    "Collection",
    "CompletableFuture",
    "CompletionStage",
    "CopyOnWriteArrayList",
    "Deque",
    "Enumeration",
    "Future",
    "HashSet",
    "Iterable",
    "Iterator",
    "Lazy",
    "LinkedBlockingQueue",
    "LinkedHashSet",
    "LinkedList",
    "List",
    "ListIterator",
    "LiveData",
    "MutableCollection",
    "MutableIterable",
    "MutableIterator",
    "MutableList",
    "MutableLiveData",
    "MutableSet",
    "MutableStateFlow",
    "Optional",
    "PriorityQueue",
    "Provider",
    "Queue",
    "Set",
    "SoftReference",
    "SortedSet",
    "Stack",
    "StateFlow",
    "Stream",
    "Supplier",
    "ThreadLocal",
];

/// Methods of these that return a value of the type argument.
const ELEMENTS: [&str; 30] = [
    "call",
    "element",
    "elementAt",
    "first",
    "firstElement",
    "get",
    "getFirst",
    "getLast",
    "getNow",
    "getValue",
    "join",
    "last",
    "next",
    "nextElement",
    "orElse",
    "orElseGet",
    "orElseThrow",
    "peek",
    "peekFirst",
    "peekLast",
    "poll",
    "pollFirst",
    "pollLast",
    "pop",
    "previous",
    "pull",
    "remove",
    "removeFirst",
    "removeLast",
    "take",
];

/// Methods of these that return another one with the same type argument, and its name.
const KEEPING: [(&str, &str); 20] = [
    ("descendingIterator", "Iterator"),
    ("distinct", "Stream"),
    ("dropWhile", "Stream"),
    ("filter", ""),
    ("findAny", "Optional"),
    ("findFirst", "Optional"),
    ("iterator", "Iterator"),
    ("limit", "Stream"),
    ("listIterator", "ListIterator"),
    ("max", "Optional"),
    ("min", "Optional"),
    ("or", "Optional"),
    ("parallelStream", "Stream"),
    ("reduce", "Optional"),
    ("skip", "Stream"),
    ("sorted", "Stream"),
    ("stream", "Stream"),
    ("subList", "List"),
    ("takeWhile", "Stream"),
    ("toList", "List"),
];

/// Methods of holders whose lambda's parameters are all of the type argument.
const GIVING: [&str; 28] = [
    "allMatch",
    "anyMatch",
    "dropWhile",
    "filter",
    "flatMap",
    "forEach",
    "forEachOrdered",
    "forEachRemaining",
    "getAndUpdate",
    "ifPresent",
    "ifPresentOrElse",
    "map",
    "mapToDouble",
    "mapToInt",
    "mapToLong",
    "mapToObj",
    "max",
    "min",
    "noneMatch",
    "observe",
    "reduce",
    "removeIf",
    "replaceAll",
    "sort",
    "sorted",
    "takeWhile",
    "thenAccept",
    "thenApply",
];

/// Returns what a method of a value returns; `None` where that is not known.
pub(super) fn returned(of: &ValueType, method: &str) -> Option<ValueType> {
    let argument = |at: usize| of.arguments.get(at).cloned();
    if MAPS.contains(&of.name.as_str()) {
        return match method {
            "get" | "getOrDefault" | "remove" | "put" | "putIfAbsent" | "computeIfAbsent"
            | "computeIfPresent" | "compute" | "merge" | "replace" => argument(1),
            "keySet" | "navigableKeySet" => Some(ValueType::outside("Set", vec![argument(0)?])),
            "values" => Some(ValueType::outside("Collection", vec![argument(1)?])),
            "entrySet" => {
                let entry = ValueType::outside("Entry", of.arguments.clone());
                Some(ValueType::outside("Set", vec![entry]))
            }
            "firstEntry" | "lastEntry" | "pollFirstEntry" | "pollLastEntry" => {
                Some(ValueType::outside("Entry", of.arguments.clone()))
            }
            _ => None,
        };
    }
    if of.name == "Entry" {
        return match method {
            "getKey" => argument(0),
            "getValue" => argument(1),
            _ => None,
        };
    }
    if method == "apply" && matches!(of.name.as_str(), "Function" | "BiFunction") {
        return of.arguments.last().cloned();
    }
    if !is_holder(of) {
        return None;
    }
    // `peek` of a stream returns the stream.
    if of.name == "Stream" && matches!(method, "peek" | "onClose" | "sequential" | "parallel" | "unordered") {
        return Some(of.clone());
    }
    if ELEMENTS.contains(&method) {
        return argument(0);
    }
    let (_, name) = KEEPING.iter().find(|(name, _)| *name == method)?;
    let name = if name.is_empty() { &of.name } else { *name };
    Some(ValueType::outside(name, of.arguments.clone()))
}

/// Returns the type of a lambda's parameter with this number, where a method of a value takes the lambda.
pub(super) fn given(of: &ValueType, method: &str, number: usize) -> Option<ValueType> {
    let argument = |at: usize| of.arguments.get(at).cloned();
    if MAPS.contains(&of.name.as_str()) {
        return match method {
            "forEach" | "compute" | "computeIfPresent" | "replaceAll" if number < 2 => argument(number),
            "computeIfAbsent" if number == 0 => argument(0),
            "merge" => argument(1),
            _ => None,
        };
    }
    let is_streams_peek = of.name == "Stream" && method == "peek";
    (is_holder(of) && (GIVING.contains(&method) || is_streams_peek)).then(|| argument(0)).flatten()
}

/// Returns the type of the parameter with this number of an object that a functional interface from outside stands for.
pub(super) fn parameter(interface: &ValueType, number: usize) -> Option<ValueType> {
    let at = match interface.name.as_str() {
        "Consumer" | "Predicate" | "Function" | "UnaryOperator" | "ToIntFunction" | "ToLongFunction"
        | "ToDoubleFunction" | "Function1" | "Action" | "Observer" => 0,
        "BiConsumer" | "BiFunction" | "BiPredicate" | "ToIntBiFunction" | "Function2" => number,
        "Comparator" | "BinaryOperator" => 0,
        _ => return None,
    };
    interface.arguments.get(at).cloned()
}

/// Returns the type of the elements that a loop over a value takes.
pub(super) fn element(of: &ValueType) -> Option<ValueType> {
    let is_array = of.name == super::written_type::ARRAY;
    (is_array || is_holder(of)).then(|| of.arguments.first().cloned()).flatten()
}

/// Whether a class of this name holds values of its type arguments.
pub(super) fn is_generic(name: &str) -> bool {
    HOLDERS.contains(&name) || MAPS.contains(&name) || matches!(name, "Entry" | "Class")
}

fn is_holder(of: &ValueType) -> bool {
    of.arguments.len() == 1 && HOLDERS.contains(&of.name.as_str())
}
