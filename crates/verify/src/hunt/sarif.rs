//! Findings of other tools, from SARIF 2.1.0: the lines of each, and what is said of it.

use std::path::{Path, PathBuf};

use serde::Deserialize;

#[derive(Debug, thiserror::Error)]
pub enum SarifError {
    #[error("{} cannot be read: {error}", path.display())]
    Read {
        path: PathBuf,
        error: std::io::Error,
    },
    #[error("{} is no SARIF: {error}", path.display())]
    Parse {
        path: PathBuf,
        error: serde_json::Error,
    },
}

/// One result: where, and its message.
pub(super) struct Finding {
    pub lines: Vec<(String, u32)>,
    pub message: String,
    /// It says that these two accesses race.
    pub is_race: bool,
}

/// So many lines of a result are targets: more threads are hardly there at the same time.
const MOST_LINES: usize = 2;

pub(super) fn read(path: &Path) -> Result<Vec<Finding>, SarifError> {
    let text = std::fs::read_to_string(path).map_err(|error| SarifError::Read {
        path: path.to_path_buf(),
        error,
    })?;
    let log: Log = serde_json::from_str(&text).map_err(|error| SarifError::Parse {
        path: path.to_path_buf(),
        error,
    })?;
    let results = log.runs.into_iter().flat_map(|run| run.results);
    let finding = |result: Outcome| {
        let mut lines: Vec<(String, u32)> = Vec::new();
        for location in result.locations.iter().chain(&result.related_locations) {
            let Some(physical) = &location.physical_location else {
                continue;
            };
            let (Some(artifact), Some(region)) = (&physical.artifact_location, &physical.region)
            else {
                continue;
            };
            let Some(uri) = &artifact.uri else { continue };
            let file = uri.trim_start_matches("file://").to_string();
            let line = (file, region.start_line.unwrap_or(0));
            if line.1 != 0 && !lines.contains(&line) && lines.len() < MOST_LINES {
                lines.push(line);
            }
        }
        let message = result.message.text.unwrap_or_default();
        let said = format!("{} {message}", result.rule_id.unwrap_or_default());
        Finding {
            is_race: lines.len() == 2 && said.to_lowercase().contains("race"),
            lines,
            message,
        }
    };
    Ok(results
        .map(finding)
        .filter(|f| !f.lines.is_empty())
        .collect())
}

#[derive(Deserialize)]
struct Log {
    runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    #[serde(default)]
    results: Vec<Outcome>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    rule_id: Option<String>,
    message: Message,
    #[serde(default)]
    locations: Vec<Location>,
    #[serde(default)]
    related_locations: Vec<Location>,
}

#[derive(Deserialize)]
struct Message {
    text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Option<Physical>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Option<Artifact>,
    region: Option<Region>,
}

#[derive(Deserialize)]
struct Artifact {
    uri: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: Option<u32>,
}
