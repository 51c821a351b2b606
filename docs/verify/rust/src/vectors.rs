//! cargo run v1.tsv: goes through the public vectors, and says where the result differs.

mod hookwright;

use base64::{engine::general_purpose::STANDARD, Engine};
use hookwright::{verify, verify_contract};

fn decoded(text: &str) -> String {
    String::from_utf8(STANDARD.decode(text).expect("base64")).expect("UTF-8")
}

fn main() {
    let path = std::env::args().nth(1).expect("the path of v1.tsv");
    let file = std::fs::read_to_string(path).expect("a file of vectors");
    let rows: Vec<Vec<&str>> = file.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    let mut wrong = 0;
    for row in &rows {
        let (lines, secrets) = (decoded(row[3]), decoded(row[2]));
        let headers: Vec<(&str, &str)> = lines.lines().filter_map(|line| line.split_once(": ")).collect();
        let header = |name: &str| {
            let found = headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
            found.map(|(_, value)| *value)
        };
        let secrets: Vec<&str> = secrets.lines().collect();
        let body = STANDARD.decode(row[4]).expect("base64");
        let now = row[5].parse().expect("a time");
        let takes = match row[1] {
            "standard" => verify(&body, header, &secrets, now),
            _ => verify_contract(&body, header, &secrets, now),
        };
        if takes != (row[6] == "ok") {
            wrong += 1;
            println!("{}: {takes}", row[0]);
        }
    }
    println!("{} vectors, {wrong} wrong", rows.len());
    std::process::exit(i32::from(wrong > 0));
}
