import type { LocalSidecarOptions } from '../node/local/local-sidecar-options.js'
import { featureGates, names, port, whole } from './flag-values.js'
import { oneOf, option, text, toggle, under } from './flags.js'
import type { Values } from './flags.js'

/** How many people call a sidecar's port and address. */
export const PORT_NAMES = { also: ['port', 'sidecar-port', 'p'] }
export const ADDRESS_NAMES = { also: ['host', 'http-host', 'bind', 'listen'] }

/**
 * The flags of every local sidecar. They have no defaults of their own: the sidecar has them, and `serve` can tell which
 * were given.
 */
export const localFlags = {
  mode: oneOf('mode', 'imitate a real sidecar started by hand, or one in a pod (default: production)', [
    'local',
    'production',
  ]),
  file: text('path', 'GameServer to start with, as YAML or JSON; reloaded when it is saved', { short: 'f' }),
  featureGates: option('gates', 'for example CountsAndLists=false', featureGates),
  wsLimit: option('bytes', 'close a WebSocket at a line of this many bytes; 0 for no limit (default: 65536)', whole),
  record: text('path', 'record the session into this file, or add it to one that is there'),
  redact: option('keys', 'annotations whose values are not recorded, for example "*token*"; labels always are', names),
  noReplace: toggle('keep a GameServer that has ended, instead of a fresh one a second later'),
  noDashboard: toggle('serve no page at /_/'),
}

/** The flags of a local sidecar that runs inside of another command. */
export const insideFlags = under('With a sidecar of its own:', {
  local: toggle('run a local sidecar inside, without a cluster'),
  ...localFlags,
  httpPort: option('port', 'port of the local sidecar itself (default: 9358 if it is free, else any)', port),
})

/** Their names, without the switch that asks for the sidecar itself. */
export const steering: readonly string[] = Object.keys(insideFlags).filter((name) => name !== 'local')

/** The options of a local sidecar, from the flags of a command. */
export function localOptionsOf(
  flags: Omit<Values<typeof localFlags>, 'noReplace'> & { readonly noReplace?: boolean },
  onWarning: (message: string) => void,
  onLog: (line: string) => void,
): LocalSidecarOptions {
  const { mode, file, featureGates: gates, wsLimit, record, redact, noReplace, noDashboard } = flags
  return {
    ...{ mode, file, featureGates: gates, wsLimit, record, redact, onWarning, onLog },
    ...(noReplace === undefined ? {} : { replace: !noReplace }),
    dashboard: !noDashboard,
  }
}
