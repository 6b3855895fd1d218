//! Warnings of `sleave lint` as SARIF 2.1.0 (OASIS), which editors and code review read.
//!
//! Only the parts that a static analysis of one program has: one run, a rule for each kind of
//! warning, and for each warning its places, the stacks that lead there and a fingerprint of its
//! lines. Everything is a `warning`, never an `error`: it is possible, not proved.

use serde::Serialize;
use verify::{Hunted, HuntedSet, SourcePlace, Status, Step, Warning, WarningKind};

use super::lint::first_place;

pub fn log(warnings: &[Warning]) -> String {
    let rules = WarningKind::ALL.iter().map(|kind| rule(*kind)).collect();
    write(rules, warnings.iter().map(result).collect())
}

/// What came of a hunt: what was confirmed is an error, what was refuted is no problem, the rest is
/// open.
pub fn hunted(hunted: &Hunted) -> String {
    let mut rules: Vec<Rule> = WarningKind::ALL.iter().map(|kind| rule(*kind)).collect();
    rules.push(Rule {
        id: TARGET.to_string(),
        short_description: message("Hunted place"),
        full_description: message("A place that was hunted because it was asked for."),
        default_configuration: Configuration { level: "warning" },
    });
    let index = rules.len() - 1;
    let sets = hunted.sets.iter();
    write(rules, sets.map(|set| of_set(set, index)).collect())
}

/// The rule of targets that are no warnings.
const TARGET: &str = "target";

fn of_set(set: &HuntedSet, index: usize) -> Finding {
    let (level, kind) = match set.status {
        Status::Confirmed(_) => ("error", "fail"),
        Status::Refuted(_) => ("none", "pass"),
        Status::Reached(_) | Status::Open(_) => ("none", "open"),
    };
    let text = match &set.status {
        Status::Confirmed(bug) => format!("{}: {}", set.message, bug.message),
        Status::Refuted(why) => format!("{}: it cannot happen: {why}", set.message),
        Status::Reached(_) => format!("{}: reached, and nothing went wrong", set.message),
        Status::Open(_) => format!("{}: open", set.message),
    };
    if let Some(warning) = &set.warning {
        return Finding {
            level,
            kind: Some(kind),
            message: message(&text),
            ..result(warning)
        };
    }
    let located = |place: &SourcePlace| Location {
        id: None,
        physical_location: physical(place),
        message: None,
    };
    let places: Vec<&SourcePlace> = set.places.iter().filter(|place| place.line != 0).collect();
    let names: Vec<String> = places
        .iter()
        .map(|p| format!("{}:{}", p.file, p.line))
        .collect();
    Finding {
        rule_id: TARGET.to_string(),
        rule_index: index,
        level,
        kind: Some(kind),
        message: message(&text),
        locations: places.iter().take(1).map(|place| located(place)).collect(),
        related_locations: places.iter().skip(1).map(|place| located(place)).collect(),
        stacks: Vec::new(),
        partial_fingerprints: Fingerprints {
            places: format!("{TARGET}:{}", names.join(",")),
        },
    }
}

fn message(text: &str) -> Message {
    Message {
        text: text.to_string(),
    }
}

fn write(rules: Vec<Rule>, results: Vec<Finding>) -> String {
    let log = Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: vec![Run {
            tool: Tool {
                driver: Driver {
                    name: "Sleave",
                    version: env!("CARGO_PKG_VERSION"),
                    rules,
                },
            },
            column_kind: "utf16CodeUnits",
            results,
        }],
    };
    let mut text = serde_json::to_string_pretty(&log).expect("a report is plain data");
    text.push('\n');
    text
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: Vec<Run>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    column_kind: &'static str,
    results: Vec<Finding>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
struct Driver {
    name: &'static str,
    version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    short_description: Message,
    full_description: Message,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    rule_id: String,
    rule_index: usize,
    level: &'static str,
    /// Whether it is a problem, if that was found out.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    message: Message,
    locations: Vec<Location>,
    related_locations: Vec<Location>,
    stacks: Vec<Stack>,
    partial_fingerprints: Fingerprints,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Artifact,
    region: Region,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u32>,
}

#[derive(Serialize)]
struct Stack {
    message: Message,
    frames: Vec<StackFrame>,
}

#[derive(Serialize)]
struct StackFrame {
    location: FrameLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FrameLocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    physical_location: Option<PhysicalLocation>,
    logical_locations: Vec<LogicalLocation>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    fully_qualified_name: String,
    kind: &'static str,
}

#[derive(Serialize)]
struct Fingerprints {
    /// Stays the same as long as nothing moves to other lines.
    #[serde(rename = "places/v1")]
    places: String,
}

fn id(kind: WarningKind) -> String {
    kind.name().replace(' ', "-")
}

fn rule(kind: WarningKind) -> Rule {
    Rule {
        id: id(kind),
        short_description: message(&format!("Possible {}", kind.name())),
        full_description: message(kind.meaning()),
        default_configuration: Configuration { level: "warning" },
    }
}

fn result(warning: &Warning) -> Finding {
    let index = WarningKind::ALL
        .iter()
        .position(|kind| *kind == warning.kind);
    let innermost = |step: &Step| step.stack.first().map(|frame| frame.place.clone());
    let places = warning.steps.iter().filter_map(innermost);
    let places: Vec<String> = places
        .map(|place| format!("{}:{}", place.file, place.line))
        .collect();
    let steps = warning.steps.iter().enumerate();
    let related = steps.filter_map(|(index, step)| {
        let place = innermost(step).filter(|place| place.line != 0)?;
        Some(Location {
            id: Some(index + 1),
            physical_location: physical(&place),
            message: Some(Message {
                text: format!("{} {}", step.thread, step.effect),
            }),
        })
    });
    let what: Vec<String> = warning
        .steps
        .iter()
        .map(|step| format!("{} {}", step.thread, step.effect))
        .collect();
    let first = first_place(warning).map(|place| Location {
        id: None,
        physical_location: physical(place),
        message: None,
    });
    Finding {
        rule_id: id(warning.kind),
        rule_index: index.unwrap_or(0),
        level: "warning",
        kind: None,
        message: Message {
            text: format!("{}: {}. {}", warning.message, what.join("; "), warning.hint),
        },
        locations: first.into_iter().collect(),
        related_locations: related.collect(),
        stacks: warning.steps.iter().map(stack).collect(),
        partial_fingerprints: Fingerprints {
            places: format!("{}:{}", id(warning.kind), places.join(",")),
        },
    }
}

fn stack(step: &Step) -> Stack {
    let frames = step.stack.iter().map(|frame| StackFrame {
        location: FrameLocation {
            physical_location: (frame.place.line != 0).then(|| physical(&frame.place)),
            logical_locations: vec![LogicalLocation {
                fully_qualified_name: frame.function.clone(),
                kind: "function",
            }],
        },
    });
    Stack {
        message: Message {
            text: format!("{} {}", step.thread, step.effect),
        },
        frames: frames.collect(),
    }
}

fn physical(place: &SourcePlace) -> PhysicalLocation {
    PhysicalLocation {
        artifact_location: Artifact {
            uri: uri(&place.file),
        },
        region: Region {
            start_line: place.line,
            start_column: (place.column != 0).then_some(place.column),
        },
    }
}

/// A path as a URI reference: what has a meaning there is escaped.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let mut uri = String::new();
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.bytes() {
        if plain(byte) {
            uri.push(byte as char);
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("src/a b.c"), "src/a%20b.c");
        assert_eq!(uri("/x/y#1.c"), "file:///x/y%231.c");
    }
}
