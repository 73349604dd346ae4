import { resolve } from 'node:path'
import { HostError } from '../host-error.js'
import type { ProgramRuntime } from '../host-events.js'
import type { ProgramSettings } from './program-options.js'

interface Runtime {
  readonly title: string
  /** Default arguments before the file. */
  readonly args: readonly string[]
  /** Arguments that are always needed. */
  readonly always: readonly string[]
  readonly install: string
}

const RUNTIMES: Readonly<Record<ProgramRuntime, Runtime>> = {
  node: {
    title: 'Node',
    args: [],
    always: [],
    install: 'Install it from https://nodejs.org, or build the image from node:24-slim.',
  },
  deno: {
    title: 'Deno',
    args: ['--allow-all'],
    // Nobody can answer a prompt.
    always: ['run', '--no-prompt'],
    install: 'Install it with "npm install -g deno", or build the image from denoland/deno.',
  },
  bun: {
    title: 'Bun',
    args: [],
    always: [],
    install: 'Install it with "npm install -g bun", or build the image from oven/bun.',
  },
}

export const PROGRAM_RUNTIMES = Object.keys(RUNTIMES) as readonly ProgramRuntime[]

/** The command that runs a file in a runtime. */
export function programCommand({ runtime, file, args, runtimeArgs }: ProgramSettings): [string, ...string[]] {
  const { always, args: usual } = RUNTIMES[runtime]
  // Absolute, because a path that begins with "-" would be taken for an option.
  return [commandOf(runtime), ...always, ...(runtimeArgs ?? usual), resolve(file), ...args]
}

/** The Node that runs this, and otherwise the one on PATH. */
function commandOf(runtime: ProgramRuntime): string {
  const runsHere = runtime === 'node' && process.versions['bun'] === undefined && process.versions['deno'] === undefined
  return runsHere ? process.execPath : runtime
}

export function startError(runtime: ProgramRuntime, cause: NodeJS.ErrnoException): HostError {
  const { title, install } = RUNTIMES[runtime]
  return cause.code === 'ENOENT'
    ? new HostError('NO_RUNTIME', `${title} is not on PATH: there is no program "${commandOf(runtime)}".`, install, {
        cause,
      })
    : new HostError('LAUNCH_FAILED', `${title} could not be started: ${cause.message}.`, undefined, { cause })
}
