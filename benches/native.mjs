// Release builds of zeview's native programs, for comparison in benchmarks.

import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

const ROOT = path.resolve(import.meta.dirname, "..");
const OF_RELEASE = ["--quiet", "--package", "zeview", "--no-default-features"];

async function cargo(...args) {
  const { stdout } = await promisify(execFile)(process.env.CARGO ?? "cargo", args, { cwd: ROOT, maxBuffer: 2 ** 28 });
  return stdout.trim();
}

/** Builds the command line from the current sources and returns its path. */
export async function ownProgram() {
  const messages = await cargo("build", "--release", ...OF_RELEASE, "--features", "cli", "--bin", "zeview", "--message-format=json");
  const built = messages.split("\n").map((line) => JSON.parse(line));
  return built.find(({ executable, target }) => executable && target.name === "zeview").executable;
}

/** Runs a benchmark of the core (`benches/NAME.rs`) and returns the milliseconds that it prints. */
export async function timesOf(name, ...args) {
  const printed = await cargo("bench", ...OF_RELEASE, "--features", "decode", "--bench", name, "--", ...args.map(String));
  return printed.split(" ").map(Number);
}
