import { statSync } from 'node:fs'
import { findSidecar } from '../../local/gateway.js'
import type { LocalSidecarOptions } from '../../local/sidecar.js'
import { HostError } from '../host-error.js'
import type { HostEvent, ProgramRuntime } from '../host-events.js'
import type { MetricsOptions } from '../host-options.js'

export interface ProgramHostOptions extends MetricsOptions {
  readonly file: string
  readonly args?: readonly string[] | undefined
  /** The program's runtime. Default `node`. */
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
}

/** Options after they were checked and their defaults filled in. */
export type ProgramSettings = ReturnType<typeof resolveProgramOptions>

/**
 * Fills in the defaults. The command line, the only caller, has checked the values.
 *
 * @throws TypeError for a sidecar that can't be used
 * @throws HostError `NO_BUILD`
 */
export function resolveProgramOptions(options: ProgramHostOptions) {
  const { file, args = [], runtime = 'node', runtimeArgs, platform = 'agones', local = false } = options
  const { grace = 10_000, restarts = 2 } = options
  const inside = local === true ? {} : local
  const sidecar = inside === false ? findSidecar(options.sidecar, platform, process.env) : undefined
  if (sidecar?.protocol === 'https:' || (sidecar !== undefined && sidecar.pathname !== '/')) {
    throw new TypeError(`sidecar must be http with a port and no path, as the variables for programs can't say more`)
  }
  checkFile(file)
  return {
    grace,
    restarts,
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
