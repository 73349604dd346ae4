import type { LocalSidecarOptions } from '../local/sidecar.js'
import { featureGates, names, port, whole } from './flag-values.js'
import { oneOf, option, signature, text, toggle, under, withDefault, type Values } from './flags.js'

/** How `--port` of a sidecar is called elsewhere: beside other ports, and by the platform's own sidecar. */
export const SIDECAR_PORT = { short: 'p', also: ['sidecar-port', 'http-port'] }
export const ADDRESS_NAMES = { also: ['host', 'http-host', 'bind', 'listen'] }

export const logFormat = oneOf('format', 'lines for people, or an object of JSON a line', ['pretty', 'json'], 'pretty')
export const open = toggle('open the dashboard in a browser')

export const platform = withDefault(
  text('name', 'prefix of variables, labels and annotations: <name>.dev/sdk-'),
  'agones',
)
export const sidecar = text('url', 'URL of the sidecar (default: from AGONES_SDK_HTTP_PORT)', { also: ['url'] })

/** The flags of a page that serve and host have in common. */
export const pageFlags = {
  ...under('The page:', {
    deny: option('operations', 'refuse these operations, for example shutdown,allocate', names),
    spa: toggle('answer paths without a file with index.html'),
    isolate: toggle('send COOP and COEP, which SharedArrayBuffer needs'),
    autoHealth: toggle('turn on autoHealth for the client in the page'),
    yes: toggle('serve the folder even if it holds your home directory'),
  }),
  ...under('TLS:', {
    cert: text('file', 'certificate as PEM; read again when it is renewed'),
    key: text('file', 'private key of the certificate, as PEM'),
  }),
}

/** The flags of every local sidecar. The sidecar has the defaults, so that `serve` knows which flags were given. */
export const localFlags = {
  mode: oneOf('mode', 'imitate a real sidecar started by hand, or one in a pod (default: production)', [
    'local',
    'production',
  ]),
  file: text('path', 'GameServer to start with, as YAML or JSON; reloaded when it is saved', { short: 'f' }),
  featureGates: option('gates', 'for example CountsAndLists=false', featureGates),
  wsLimit: option('bytes', 'close a WebSocket at a line of this many bytes; 0 for no limit (default: 65536)', whole),
  replace: toggle('keep a GameServer that has ended, instead of a fresh one a second later', { byDefault: true }),
  dashboard: toggle('serve no page at /_/', { byDefault: true }),
}

/** The flags of a local sidecar that runs inside another command. */
export const insideFlags = under('With a sidecar of its own:', {
  local: toggle('run a local sidecar inside, without a cluster'),
  ...localFlags,
  sidecarPort: option('port', 'port of the local sidecar itself (default: 9358 if it is free, else any)', port, {
    also: ['http-port'],
  }),
})

/** The given flags that need --local, as they are written. */
export const givenOfLocal = (given: ReadonlySet<string>): string[] =>
  Object.entries(insideFlags)
    .filter(([name]) => name !== 'local' && given.has(name))
    .map(([name, flag]) => signature(name, flag).split(' ')[0]!)

/** The options of a local sidecar, from the flags of a command. */
export function localOptionsOf(
  flags: Omit<Values<typeof localFlags>, 'replace'> & { readonly replace?: boolean },
  notices: Pick<LocalSidecarOptions, 'onWarning' | 'onLog'>,
): LocalSidecarOptions {
  const { mode, file, featureGates: gates, wsLimit, replace, dashboard } = flags
  return { mode, file, featureGates: gates, wsLimit, replace, dashboard, ...notices }
}
