import { statSync } from 'node:fs'
import { findSidecar } from '../../gateway/sidecar-url.js'
import type { LocalSidecarOptions } from '../../local/local-sidecar-options.js'
import { HostError } from '../host-error.js'
import type { HostEvent, ProgramRuntime } from '../host-events.js'
import { checkOptions } from '../option-table.js'
import { PROGRAM_RUNTIMES } from './runtimes.js'

/** Options of `createProgramHost()`. */
export interface ProgramHostOptions {
  /** The program, such as `server.mjs`. */
  readonly file: string
  /** Arguments for the program. */
  readonly args?: readonly string[] | undefined
  /** What runs it. Default `node`. */
  readonly runtime?: ProgramRuntime | undefined
  /** Arguments for the runtime, before the file. Default for Deno: `--allow-all`. */
  readonly runtimeArgs?: readonly string[] | undefined
  /** URL of the sidecar. Default: what the platform's variables say. */
  readonly sidecar?: string | undefined
  /** Runs a local sidecar inside, for a game without a cluster. */
  readonly local?: boolean | LocalSidecarOptions | undefined
  /** Names the environment variables for the program, and the prefix of labels. Default `agones`. */
  readonly platform?: string | undefined
  /** Milliseconds from a signal to the end of the host; the program has all but 2,000 of them. Default 10,000. */
  readonly grace?: number | undefined
  /** How often the program is started again when it crashes before its GameServer was Ready. Default 2. */
  readonly restarts?: number | undefined
  readonly onEvent?: ((event: HostEvent) => void) | undefined
  /** Called with one sentence for each problem of the host itself. Default: it becomes an event `warning`. */
  readonly onWarning?: ((text: string) => void) | undefined
}

const table = {
  file: true,
  args: true,
  runtime: true,
  runtimeArgs: true,
  sidecar: true,
  local: true,
  platform: true,
  grace: [1, 2 ** 31 - 1, 10_000],
  restarts: [0, Number.MAX_SAFE_INTEGER, 2],
  onEvent: true,
  onWarning: true,
} as const satisfies Record<keyof ProgramHostOptions, unknown>

/** Options after they were checked and their defaults filled in. */
export type ProgramSettings = ReturnType<typeof resolveProgramOptions>

/** Checks all options. @throws TypeError @throws HostError `NO_BUILD` */
export function resolveProgramOptions(options: ProgramHostOptions) {
  const numbers = checkOptions(options, table)
  const { file, args = [], runtime = 'node', runtimeArgs, platform = 'agones', local = false } = options
  if (typeof file !== 'string' || file === '') {
    throw new TypeError(`file must be the path of the program, such as server.mjs; got ${JSON.stringify(file)}`)
  }
  if (!PROGRAM_RUNTIMES.includes(runtime)) {
    throw new TypeError(`runtime must be one of ${PROGRAM_RUNTIMES.join(', ')}; got ${JSON.stringify(runtime)}`)
  }
  if (!/^[a-z\d][-a-z\d]*$/.test(platform)) {
    throw new TypeError(`platform must be a name such as agones; got ${JSON.stringify(platform)}`)
  }
  if (local !== false && options.sidecar !== undefined) {
    throw new TypeError('sidecar and local exclude each other; give the one that the program should use')
  }
  const inside = local === true ? {} : local
  const sidecar = inside === false ? findSidecar(options.sidecar, platform, process.env) : undefined
  if (sidecar?.protocol === 'https:' || (sidecar !== undefined && sidecar.pathname !== '/')) {
    throw new TypeError(`sidecar must be http with a port and no path, as the variables for programs can't say more`)
  }
  checkFile(file)
  return {
    ...numbers,
    file,
    args,
    runtime,
    runtimeArgs,
    /** Undefined with a local sidecar inside. */
    sidecar,
    local: inside === false ? undefined : { platform, ...inside },
    platform,
  }
}

function checkFile(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) {
    throw new HostError('NO_BUILD', `There is no file ${file}.`, 'Build the program first, or give its right path.')
  }
  if (stats.isDirectory()) {
    throw new HostError('NO_BUILD', `${file} is a folder.`, 'Give the file in it that starts the program.')
  }
}
