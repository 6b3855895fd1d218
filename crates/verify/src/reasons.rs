//! Why nothing is known, and what the user may do about it.

use explore::{Runs, Stopped};
use ir::debug::LocId;
use machine::{Config, Cutoff};

use crate::engine::{Answer, Coverage};
use crate::engines::static_proof::Obstacle;
use crate::engines::trace::TRACE;
use crate::load::Loaded;
use crate::names::Names;
use crate::verdict::Reason;

/// Executions that were given up at one place for one reason.
#[derive(Clone, Debug, PartialEq)]
pub struct CutOff {
    pub reason: Reason,
    pub count: u64,
}

/// A search that can be left is one and the same to its end.
pub(crate) fn refuted() -> Reason {
    Reason {
        name: "slice".to_string(),
        location: None,
        advice: "What the properties depend on was misjudged, and a search that can be left and taken up again is not made anew. Start over with --no-slice.".to_string(),
    }
}

/// The most telling reason: what the user can do something about comes first. A search that cannot
/// say more even if it gets all it wants is such a reason, unless it got nowhere.
pub(crate) fn reason(loaded: &Loaded, answer: &Answer) -> Reason {
    let Coverage {
        stopped, obstacle, ..
    } = &answer.coverage;
    let stopped = *stopped;
    let (is_bounded, runs) = (answer.engine == "preemptions", answer.counts.runs);
    let is_trace = answer.engine == TRACE;
    let names = Names::new(&loaded.program);
    let because = stopped.map(|stopped| Reason {
        name: match stopped {
            Stopped::NotDecided if is_trace => "not for this program".to_string(),
            stopped => stopped_name(stopped).to_string(),
        },
        location: (obstacle.as_ref()).and_then(|obstacle| names.location(obstacle.loc)),
        advice: match obstacle {
            Some(Obstacle { why, .. }) if is_trace => not_encoded(why),
            Some(Obstacle { why, .. }) => not_proved(why),
            None => stopped_advice(stopped, is_bounded, runs),
        },
    });
    let cut = cut_offs(loaded, answer);
    let cut = cut.into_iter().map(|c| c.reason).next();
    let is_limited = matches!(
        stopped,
        Some(Stopped::PreemptionBound { .. } | Stopped::RandomSearch)
    );
    let reason = match (cut, because) {
        (Some(mut cut), Some(stopped)) if !is_limited => {
            cut.advice += &format!(" Besides, the search was not done ({}).", stopped.name);
            Some(cut)
        }
        (cut, stopped) if is_limited && runs.complete > 0 => stopped.or(cut),
        (cut, stopped) => cut.or(stopped),
    };
    reason.expect("something was left out")
}

fn not_encoded(why: &str) -> String {
    format!(
        "The trace engine steps aside: it does not encode {why}. Leave --engine out, to have it searched."
    )
}

fn not_proved(why: &str) -> String {
    format!(
        "Static facts alone do not prove it, since {why}. Leave --engine out, to have it searched."
    )
}

pub(crate) fn stopped_name(stopped: Stopped) -> &'static str {
    match stopped {
        Stopped::TimeLimit => "time limit",
        Stopped::MemoryLimit => "memory limit",
        Stopped::Interrupted => "interrupted",
        Stopped::PreemptionBound { .. } => "preemption bound",
        Stopped::RandomSearch => "random search",
        Stopped::NotDecided => "static facts",
        Stopped::FirstBug => unreachable!("a bug was found"),
    }
}

pub(crate) fn stopped_advice(stopped: Stopped, is_bounded: bool, runs: Runs) -> String {
    match stopped {
        Stopped::TimeLimit if is_bounded => {
            "Raise --time-limit, lower --preemptions, or make the test smaller.".to_string()
        }
        Stopped::TimeLimit => "Raise --time-limit, make the test smaller, or only look for bugs, with --preemptions 2 or --random.".to_string(),
        Stopped::MemoryLimit => "Raise --memory-limit, or make the test smaller.".to_string(),
        Stopped::Interrupted => "The search was stopped before it was done.".to_string(),
        Stopped::PreemptionBound { bound, cut } => {
            let plural = if bound == 1 { "" } else { "s" };
            let tried = format!(
                "Nothing goes wrong in any schedule with at most {bound} preemption{plural} (switches away from a thread that could go on)."
            );
            if cut {
                format!("{tried} Others were left out: raise --preemptions, or search without it.")
            } else {
                format!(
                    "{tried} No schedule has more: search without --preemptions to have that proved."
                )
            }
        }
        Stopped::RandomSearch => {
            let runs = runs.complete + runs.blocked;
            let plural = if runs == 1 { "" } else { "s" };
            format!(
                "Nothing went wrong in {runs} run{plural} taken at random, which proves nothing. Try more runs or another --seed, --preemptions, or a search without --random."
            )
        }
        Stopped::NotDecided => "Static facts alone do not prove it.".to_string(),
        Stopped::FirstBug => unreachable!("a bug was found"),
    }
}

/// Every place where executions were given up, the most telling first.
pub(crate) fn cut_offs(loaded: &Loaded, answer: &Answer) -> Vec<CutOff> {
    let names = Names::new(&loaded.program);
    let coverage = &answer.coverage;
    let ended = (coverage.cut_off.iter()).map(|((cutoff, loc), count)| (cutoff, *loc, *count));
    // An execution that was interrupted is no reason of its own: the search was stopped.
    let is_stopped = coverage.stopped.is_some();
    let ended = ended.filter(|(cutoff, ..)| !is_stopped || **cutoff != Cutoff::Interrupted);
    // Runs went on where threads stood still.
    let crowded = coverage.crowded.iter();
    let crowded = crowded.map(|loc| (&Cutoff::TooManyThreads, *loc, 0));
    let mut causes: Vec<(&Cutoff, LocId, u64)> = ended.chain(crowded).collect();
    causes.sort_by_key(|(cutoff, loc, _)| (rank(cutoff), *loc));
    causes
        .into_iter()
        .map(|(cutoff, loc, count)| CutOff {
            reason: Reason {
                name: cutoff.to_string(),
                location: names.location(loc),
                advice: advice(cutoff, answer),
            },
            count,
        })
        .collect()
}

fn rank(cutoff: &Cutoff) -> u32 {
    match cutoff {
        Cutoff::UnmodelledFunction(_) | Cutoff::UndefinedVariable(_) => 0,
        Cutoff::UnmodelledAssembly(_) | Cutoff::UnmodelledInstruction(_) => 1,
        Cutoff::OtherFault(_) => 2,
        Cutoff::SymbolicFloat | Cutoff::SymbolicValue(_) => 3,
        Cutoff::Solver => 4,
        Cutoff::TooManyThreads | Cutoff::OutOfAddresses | Cutoff::ObjectTooLarge => 5,
        Cutoff::InputLength(_) => 6,
        Cutoff::RecursionBound => 7,
        Cutoff::LoopBound => 8,
        Cutoff::Interrupted => 9,
    }
}

fn advice(cutoff: &Cutoff, answer: &Answer) -> String {
    match cutoff {
        Cutoff::LoopBound => "A loop may run longer than the bound, perhaps for ever. Raise --unwind, or bound the loop in the test.".to_string(),
        Cutoff::RecursionBound => "A function may call itself deeper than --unwind allows, or than a stack of 8 MiB holds.".to_string(),
        Cutoff::UnmodelledFunction(name) => {
            format!("Sleave has no model of {name}. Give the program a definition of it: add a .c file to the command line.")
        }
        Cutoff::UnmodelledAssembly(text) => {
            format!("This inline assembly is not modelled: `{text}`. Replace it by C atomics for the test.")
        }
        Cutoff::UnmodelledInstruction(what) => format!("Not modelled: {what}."),
        Cutoff::SymbolicFloat => "Arithmetic on a floating-point input is not supported. Give the input a fixed value.".to_string(),
        Cutoff::SymbolicValue(what) => format!("The {what} depends on an input. Give that input a fixed value."),
        Cutoff::OutOfAddresses => "The program allocates more memory than Sleave's address space has.".to_string(),
        Cutoff::ObjectTooLarge => "An object of more than 128 MiB is accessed, of which Sleave keeps no contents. Make it smaller in the test.".to_string(),
        Cutoff::UndefinedVariable(name) => format!(
            "The program declares the variable {name} and nobody defines it, or it begins with something that Sleave cannot express. Add the file that defines it to the command line."
        ),
        Cutoff::InputLength(what) => input_length_advice(what, &answer.machine),
        Cutoff::TooManyThreads => thread_advice(answer),
        Cutoff::Interrupted => "The search was stopped before it was done.".to_string(),
        Cutoff::Solver => "The solver could not decide a condition in time. Narrow the inputs with assumptions.".to_string(),
        Cutoff::OtherFault(kind) => format!("An execution runs into another fault ({kind}), which was not asked for."),
    }
}

fn input_length_advice(what: &str, machine: &Config) -> String {
    let made_up = machine.surroundings.input_length;
    let fix = match what {
        "environ" => return "The program looks through its whole environment, which may be any. Say with --env what is in it, and with --only-env that this is all.".to_string(),
        "value of a variable of the environment" => "--env NAME=VALUE",
        "stdin" => "--stdin FILE",
        "arguments of main" => return "The program looks at its fifth argument or a later one. Say with --args what they are.".to_string(),
        "argument of main" => "--args",
        _ => "a file of the test's own",
    };
    format!(
        "The program may look at more than {made_up} bytes of this, and nothing went wrong where it did not. Raise --input-length, or say what is there: {fix}."
    )
}

fn thread_advice(answer: &Answer) -> String {
    let rest = "Make fewer in the test, if it is to be proved.";
    match (answer.machine.threads, answer.coverage.threads) {
        (Some(most), _) => {
            format!("The program makes more threads than the {most} that --threads allows. {rest}")
        }
        (None, Some(covered)) => format!(
            "The program makes more threads than there is room for, perhaps without end. Nothing went wrong in a search with up to {covered}. {rest}"
        ),
        (None, None) => format!(
            "The program makes more threads than there is room for, perhaps without end. Try --threads 3 to look for bugs with few. {rest}"
        ),
    }
}
