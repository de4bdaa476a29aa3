"""Mutants of Swift sources, by operators: small wrong changes that a test should notice.

The sources are read as text. They are formatted by swift-format, so a statement begins on a line of its own, what continues it is
indented further or begins with a dot or a brace, and one line holds a whole `{ … }` or only its begin. What makes no sense, the
compiler refuses.
"""
import re
from collections import namedtuple

# What a body's text becomes: `end - start` characters at `start` of the file are replaced.
Change = namedtuple("Change", "start end replacement operator")
# The text between the braces of a function, an initializer or a computed property.
Body = namedtuple("Body", "name start end returns parameters is_single")


def mask(text):
    """The text with comments and strings blanked, so that only code is left."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"""(?:.|\n)*?"""|"(?:\\\((?:[^()]|\([^()]*\))*\)|\\.|[^"\\\n])*"', re.S)
    return pattern.sub(lambda found: re.sub(r"[^\n]", "_" if found[0][0] == '"' else " ", found[0]), text)


HEAD = re.compile(r"(?:^|\n)[ \t]*(?:@\w+(?:\([^)]*\))?[ \t]+|(?:public|private|fileprivate|internal|final|override|static|mutating|"
                  r"convenience)(?:\([^)]*\))?[ \t]+)*(?:(func)[ \t]+(\w+)|(init|deinit)|(var)[ \t]+(\w+))")


def bodies(masked):
    """The bodies of all functions that are not inside another."""
    found, open_brackets, begin, names = [], [], 0, {}
    for index, character in enumerate(masked):
        if character in "([":
            open_brackets.append((character, index, None))
        elif character in ")]":
            open_brackets.pop()
        elif character == "{":
            isInside = any(head for _, _, head in open_brackets)
            head = None if isInside or (open_brackets and open_brackets[-1][0] != "{") else function_head(masked[begin:index])
            open_brackets.append((character, index, head))
            if all(bracket == "{" for bracket, _, _ in open_brackets):
                begin = index + 1
        elif character == "}":
            _, start, head = open_brackets.pop()
            if head:
                name, returns, parameters = head
                names[name] = names.get(name, 0) + 1
                name += f"#{names[name]}" if names[name] > 1 else ""
                body = Body(name, start + 1, index, returns, parameters, False)
                outer = [block for block in statements(masked, body) if block[0][0] == first_code(masked, start + 1)]
                # One expression and no `return` before it.
                is_single = returns and len(outer) == 1 and len(outer[0]) == 1 and not re.match(
                    r"(return|let|var|guard|for|while|repeat|do|throw|fatalError|defer)\b", masked[outer[0][0][0]:]) and not (
                    re.match(r"(if|switch)\b", masked[outer[0][0][0]:]) and re.search(r"\breturn\b", masked[start:index]))
                found.append(body._replace(is_single=is_single))
            if all(bracket == "{" for bracket, _, _ in open_brackets):
                begin = index + 1
    return found


def function_head(header):
    """The name, whether it has a result, and the parameters of the function with this header; None: it is no function."""
    heads = list(HEAD.finditer(header))
    if not heads:
        return None
    rest = header[heads[-1].end():]
    _, function, initializer, variable, name = heads[-1].groups()
    if re.search(r"\n\s*(?:\w+ )*(?:struct|class|enum|extension|protocol|let|case)\b", rest) or (
            variable and ("=" in rest or "\n" in rest or ":" not in rest)):
        return None
    opened = rest.find("(")
    returns = bool(variable) or bool(function) and "->" in rest[matching(rest, opened):]
    return function or initializer or name, returns, re.findall(r"(\w+):", rest)


def words(code):
    """The identifiers of the code, without keywords."""
    return {word for word in re.findall(r"\b[a-zA-Z]\w+", code)} - set(
        "if guard let var else return case for in try await self state nil true false some any switch while where".split())


def first_code(masked, index):
    return index + len(masked[index:]) - len(masked[index:].lstrip())


def line_start(text, index):
    return text.rfind("\n", 0, index) + 1


GOES_ON = re.compile(r"[.})\]?:]|else\b|catch\b|&&|\|\||->|where\b|case\b|default\b|#|while \w.* == true$")


def statements(masked, body):
    """Lists of the (start, end) of statements that follow each other in one block."""
    blocks = []

    def add_block(position, end):
        """Statements from `position` on, each begun at the indentation of the first."""
        block, indent = [], None
        while position < end:
            line_end = min(masked.find("\n", position) % (len(masked) + 1), end)
            line = masked[position:line_end]
            stripped = line.strip()
            if not stripped:
                position = line_end + 1
                continue
            depth = len(line) - len(line.lstrip())
            if re.match(r"(case\b.*|default):$", stripped):
                if block:
                    blocks.append(block)
                block, indent, position = [], None, line_end + 1
                continue
            inline = re.match(r"\s*(?:case\b[^:]*|default): (?=\S)", line)
            start = position + (inline.end() if inline else depth)
            stop = statement_end(masked, start, depth, end)
            if inline:
                blocks.append([(start, stop)])
            elif indent in (None, depth) and not GOES_ON.match(stripped):
                indent = depth
                block.append((start, stop))
            add_inner(start, stop)
            position = max(stop, line_end) + 1
        if block:
            blocks.append(block)

    def add_inner(start, stop):
        depth, opened = 0, None
        for index in range(start, stop):
            if masked[index] == "{":
                if depth == 0:
                    opened = index + 1
                depth += 1
            elif masked[index] == "}":
                depth -= 1
                if depth == 0:
                    add_braces(opened, index)

    def add_braces(start, stop):
        parameters = re.match(r"\s*(?:\[[^\]]*\]\s*)?(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|[\w, ]+)?(?:\s*->\s*[^\n{}]*?)?\s+in(?=\s)", masked[start:stop])
        start += parameters.end() if parameters else 0
        if "\n" in masked[start:stop]:
            add_block(masked.index("\n", start) + 1 if not masked[start:].split("\n", 1)[0].strip() else start, stop)
        elif masked[start:stop].strip():
            inner = masked[start:stop]
            first = start + len(inner) - len(inner.lstrip())
            blocks.append([(first, start + len(inner.rstrip()))])
            add_inner(first, stop)

    add_braces(body.start, body.end)
    return blocks


def statement_end(masked, start, indent, limit):
    depth, position = 0, start
    while True:
        line_end = masked.find("\n", position)
        line_end = limit if line_end < 0 or line_end > limit else line_end
        for character in masked[position:line_end]:
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        if line_end >= limit:
            return start + len(masked[start:limit].rstrip())
        following = masked[line_end + 1:limit]
        line = next((line for line in following.split("\n") if line.strip()), "")
        next_indent = len(line) - len(line.lstrip())
        if depth <= 0 and (not line.strip() or not (
                next_indent > indent or (next_indent == indent and re.match(r"[.]|else\b|\?\?|&&|\|\|", line.strip())))):
            return start + len(masked[start:line_end].rstrip())
        position = line_end + 1


def matching(masked, index):
    """The index after the bracket that closes the one at `index`."""
    depth = 0
    for position in range(index, len(masked)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(masked[position], 0)
        if depth == 0:
            return position + 1
    return len(masked)


def split(masked, start, end):
    """The (start, end) of each part between commas."""
    parts, depth, first = [], 0, start
    for position in range(start, end):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(masked[position], 0)
        if masked[position] == "," and depth == 0:
            parts.append((first, position))
            first = position + 1
    return [(a + len(masked[a:b]) - len(masked[a:b].lstrip()), a + len(masked[a:b].rstrip()))
            for a, b in parts + [(first, end)] if masked[a:b].strip()]


TOKENS = [
    (r" < ", [" <= ", " > "], "compare"), (r" <= ", [" < "], "compare"), (r" > ", [" >= ", " < "], "compare"),
    (r" >= ", [" > "], "compare"), (r" == ", [" != "], "compare"), (r" != ", [" == "], "compare"),
    (r" === ", [" !== "], "compare"), (r" !== ", [" === "], "compare"),
    (r" && ", [" || "], "logic"), (r" \|\| ", [" && "], "logic"),
    (r" \+ ", [" - "], "arithmetic"), (r" - ", [" + "], "arithmetic"), (r" \+= ", [" -= "], "arithmetic"),
    (r" -= ", [" += "], "arithmetic"), (r" \* ", [" + "], "arithmetic"), (r"\.\.<", ["..."], "off-by-one"),
    (r"\bmin\(", ["max("], "arithmetic"), (r"\bmax\(", ["min("], "arithmetic"),
    (r"\btrue\b", ["false"], "constant"), (r"\bfalse\b", ["true"], "constant"),
    (r"\.zero\b", [".seconds(1)"], "constant"), (r"\.max\b(?!\()", [".min"], "constant"),
    (r"\.primary\b", [".secondary"], "constant"), (r"\.secondary\b", [".primary"], "constant"),
    (r"\.utility\b", [".default"], "constant"), (r"\.userInitiated\b", [".default"], "constant"),
    (r"\.low\b", [".high"], "constant"), (r"\.high\b", [".low"], "constant"),
    (r"\.first\b", [".last"], "constant"), (r"\bremoveFirst\(\)", ["removeLast()"], "constant"),
    (r"\bpopLast\(\)", ["first"], "constant"), (r"\.take\(\)", [""], "keep"),
    (r"\.withLock\b", [".withoutLock"], "drop-lock"), (r"\btry\? ", ["try! "], "constant"),
]
# Calls that must not be repeated; most others may be, as `cancel` may.
CALLED_ONCE = re.compile(r"completion|next\(|beat|[cC]reate|upload|perform|enter\(|leave\(|fail|finish\(|attempt|ask\(|yield|start\w*\(|lookUp|retry")
NUMBER = re.compile(r"(?<![\w.$])\d[\d_]*(?![\w.])")
KEPT = "completion service handle body next ring beat reader chunk prepared job timer alarm request run task promise operation".split()


def changes(text, masked, body):
    """All mutants of one body, as changes of its text."""
    found = []

    def add(start, end, replacement, operator):
        if text[start:end] != replacement:
            found.append(Change(start, end, replacement, operator))

    for block in statements(masked, body):
        for number, (start, end) in enumerate(block):
            code = masked[start:end]
            word = re.match(r"\w*", code)[0]
            if not (body.is_single and start == first_code(masked, body.start)) and word not in ("let", "var", "func", "return", "case", "switch", "throw", "fatalError") and code != "break":
                add(start, end, "", "drop-cancel" if re.search(r"\b(cancel\w*|callOff|abandon|giveBack)\(", code) and word not in ("if", "for", "guard", "while") else
                    "drop-branch" if word in ("if", "guard", "for", "while", "repeat", "do") else "drop")
                if CALLED_ONCE.search(code) and not (body.is_single and start == first_code(masked, body.start)) and code.endswith((")", "}")) and not re.search(r" [-+]?= ", code.split("{")[0]) and word not in ("if", "guard", "for", "while", "repeat", "do", "defer", "super", "self"):
                    add(start, end, f"{text[start:end]}; {text[start:end]}" if "\n" not in code else f"{text[start:end]}\n{text[start:end]}", "twice")
            if word == "return" and code not in ("return", "return nil"):
                add(start, end, "return nil", "return-nil")
            named = re.match(r"let (\w+) = ", code)
            if named and named[1] in KEPT:
                add(end, end, f"\nkeepReference({named[1]})", "keep")
            if number + 1 < len(block):
                other, last = block[number + 1]
                # Without common names the order makes no difference.
                if words(code) & words(masked[other:last]) and not (
                        "func" in (word, masked[other:other + 4]) or word in ("return", "throw") or re.match("return|throw", masked[other:last])):
                    add(start, last, text[other:last] + text[end:other] + text[start:end], "swap-lines")
    for pattern, replacements, operator in TOKENS:
        for token in re.finditer(pattern, masked[body.start:body.end]):
            for replacement in replacements:
                add(body.start + token.start(), body.start + token.end(), replacement, operator)
    for token in NUMBER.finditer(masked, body.start, body.end):
        value = int(token[0].replace("_", ""))
        for other in {value + 1, max(value - 1, 0)} - {value}:
            add(token.start(), token.end(), str(other), "off-by-one")
    for token in re.finditer(r"\b(?:if|guard|while|where) ", masked[body.start:body.end]):
        start = body.start + token.end()
        end = condition_end(masked, start, body.end)
        for first, last in split(masked, start, end):
            if not re.match(r"(let|var|case|#\w+)\b", masked[first:last]):
                add(first, last, f"!({text[first:last]})", "negate")
                add(first, last, "true", "always")
    for token in re.finditer(r"\w\(", masked[body.start:body.end]):
        opened = body.start + token.end() - 1
        arguments = split(masked, opened + 1, matching(masked, opened) - 1)
        values = [(first + len(re.match(r"(?:\w+: )?", masked[first:last])[0]), last) for first, last in arguments]
        for (a, b), (c, d) in zip(values, values[1:]):
            if max(b - a, d - c) <= 60 and "{" not in masked[a:d]:
                add(a, d, text[c:d] + text[b:c] + text[a:b], "swap-arguments")
    for link in re.finditer(r"(?:(?<=[)}])|\n\s*)\.\w+(?=\(| \{)", masked[body.start:body.end]):
        start, end = body.start + link.start(), body.start + link.end()
        if masked[end] == "(":
            end = matching(masked, end)
        while re.match(r"(?: \w+:)? \{", masked[end:end + 40]):
            end = matching(masked, masked.index("{", end))
        add(start, end, "", "drop-link")
    if masked[body.start:body.end].strip() and not body.returns and body.name != "init":
        add(body.start, body.end, " return " if "\n" not in text[body.start:body.end] else "\n    return\n  ", "early-return")
    for name in body.parameters:
        if name in KEPT and re.search(rf"\b{name}\b", masked[body.start:body.end]):
            add(body.start, body.start, f"keepReference({name})" + ("; return " if body.is_single else "\n"), "keep")
    return sorted(set(found))


def condition_end(masked, start, limit):
    """Where the `{`, `else` or line behind a condition begins."""
    depth = 0
    for position in range(start, limit):
        character = masked[position]
        if depth == 0 and (masked.startswith(" {", position) or re.match(r"\s+else\b", masked[position:position + 60])):
            # A trailing closure inside a condition has parentheses or brackets around it.
            return position
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        if depth < 0:
            return position
    return limit


PROPERTY = re.compile(r"^ *(?:private |fileprivate |private\(set\) )*var (\w+)(?:: [\w?]+)? = (\d+|true|false)$", re.M)


def property_changes(text, masked, inside):
    """Changes of properties' initial values, each with the property's name."""
    for found in PROPERTY.finditer(masked):
        if not any(body.start <= found.start() < body.end for body in inside):
            value = {"true": "false", "false": "true"}.get(found[2]) or str(int(found[2]) + 1)
            yield found[1], Change(found.start(2), found.end(2), value, "constant")
