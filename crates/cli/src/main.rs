use std::path::PathBuf;
fn main() {
    let mut files = Vec::new();
    let mut flags = Vec::new();
    let mut options = verify::Options::default();
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        match a.as_str() {
            "check" => {}
            "--all" => options.all = true,
            "--no-spurious" => options.machine.spurious_wakeups = false,
            "--por" | "--prune" => {
                args.next();
            }
            "--unwind" => options.machine.unwind = args.next().map(|x| x.parse().unwrap()).filter(|x| *x != 0),
            "--args" => options.machine.args = args.next().unwrap().split(' ').map(String::from).collect(),
            "--time-limit" => {
                options.time_limit = args.next().map(|x| std::time::Duration::from_secs_f64(x.parse().unwrap()))
            }
            "--" => flags.extend(args.by_ref()),
            _ => files.push(PathBuf::from(a)),
        }
    }
    let loaded = match verify::load(&files, &flags) {
        Ok(l) => l,
        Err(e) => {
            eprintln!("{e}");
            std::process::exit(2)
        }
    };
    let checked = match verify::check(&loaded, &options, &mut verify::Quiet) {
        Ok(c) => c,
        Err(e) => {
            eprintln!("fault of sleave: {e}");
            std::process::exit(6)
        }
    };
    println!("{:?} restarts {} failing {} time {:?} solver {:?}", checked.outcome.runs, checked.outcome.restarts, checked.outcome.failing, checked.time, checked.outcome.solver);
    match &checked.verdict {
        verify::Verdict::Safe => println!("verdict: safe"),
        verify::Verdict::Bug(bugs) => {
            for bug in bugs {
                for line in &bug.trace.lines {
                    println!("{:4} {}:{} {} {:?}", bug.trace.threads[line.thread], line.file, line.line, line.text, line.from);
                }
                for w in &bug.trace.waiting {
                    println!("{w:?}");
                }
                println!("{} {}", bug.location, bug.message);
            }
            println!("verdict: bug ({})", bugs[0].property.name());
            std::process::exit(10)
        }
        verify::Verdict::Unknown(r) => {
            println!("{:?}\nverdict: unknown ({})", r, r.name);
            std::process::exit(5)
        }
    }
}
