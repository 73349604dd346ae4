import { UsageError } from './exit-codes.js'

type Gone = Readonly<Record<string, string>>

/** Commands that earlier builds had, and what to use instead. */
const commands: Gone = {
  completion: '--help lists what each command takes',
  replay: "the dashboard's timeline shows a session, and control commands repeat one",
  scenario: "tell the story in a test, with gameserver-sidecar/mock or createLocalSidecar(), or run the test by 'exec'",
}

const recordings = "--log-format json prints a line for each event, and the dashboard's timeline copies as text"
const programs = 'run the program itself; on this machine with a local sidecar: exec -- node server.mjs'
const flags: Gone = {
  record: recordings,
  redact: recordings,
  node: programs,
  runtime: programs,
  'node-options': programs,
  'max-memory': 'the memory limit of the container ends the page',
}

/** @throws UsageError for a command that is gone */
export function refuseGone(command: string): void {
  const instead = sentenceOf(commands, command)
  if (instead !== undefined)
    throw new UsageError(`There is no command ${JSON.stringify(command)} any more: ${instead}.`)
}

/** The error for a flag that is gone; undefined for any other. */
export function goneFlag(name: string): UsageError | undefined {
  const instead = sentenceOf(flags, name)
  return instead === undefined ? undefined : new UsageError(`There is no option --${name} any more: ${instead}.`)
}

const sentenceOf = (gone: Gone, name: string): string | undefined =>
  Object.hasOwn(gone, name) ? gone[name] : undefined
