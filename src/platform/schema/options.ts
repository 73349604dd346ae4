import * as v from 'valibot'
import { longestTimer } from '../../protocol/names.js'
import { isNetwork } from '../../protocol/networks.js'
import { operations } from '../../protocol/operations.js'
import { boolean, either, integer, leaf, list, name, object, optional, pattern } from './check.js'
import { read, record, rule, text, unread, word, type Fields, type Schema } from './check.js'
import { gameServer } from './game-server.js'

const HOUR = 3_600_000
const MB = 1024 * 1024

const isTime = (value: unknown): boolean => Number.isFinite(value) && Number(value) >= 0
const listener = leaf('a function', (value) => typeof value === 'function')
const texts = list(text)
const port = integer(0, 65_535)
const isPort = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535
const usualPort = leaf('"usual" or an integer from 0 to 65535', (value) => value === 'usual' || isPort(value))
/** The name of a platform, which is a part of variables and of labels. */
const platform = pattern('lower-case letters, digits and dashes', /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)
const networks = list(leaf('a network such as 10.0.0.0/8', isNetwork))
const everywhere = { platform, allowHosts: texts, allowOrigins: texts }
const listeners = { onWarning: listener, onLog: listener }

const isGiven = (value: unknown): boolean => value != null && value !== false

/** Two options that exclude each other. */
const notBoth = (key: string, other: string, why: string) =>
  rule((options) =>
    isGiven(options[key]) && isGiven(options[other])
      ? { key, message: `and ${other} exclude each other${why}` }
      : undefined,
  )

const localSidecar = v.pipe(
  object(
    optional({
      ...everywhere,
      ...listeners,
      ...{ mode: word(['production', 'local']), port: usualPort, address: name, gameServer, file: name },
      replace: leaf('true, false or a number of milliseconds', (value) => typeof value === 'boolean' || isTime(value)),
      // The sidecar checks the names, as it does for the mock.
      ...{ featureGates: record(boolean), conformance: texts, wsLimit: integer(0), dashboard: boolean },
    }),
  ),
  notBoth('file', 'gameServer', '; give the one to start with'),
)

const ofPlugin = {
  ...everywhere,
  // Its reader checks that it is a URL, since the environment may name it too.
  sidecar: text,
  local: either(v.boolean('must be true, false or the options of createLocalSidecar()'), localSidecar),
  deny: list(word(Object.keys(operations))),
  ...{ isolate: boolean, autoHealth: boolean, expose: boolean },
  // A message may be logged, so it doesn't repeat the secret.
  token: v.custom(
    (value) => typeof value === 'boolean' || (typeof value === 'string' && /^[\w.~-]{16,256}$/.test(value)),
    'must have 16 to 256 letters, digits, "-", ".", "_" or "~", so that nobody can guess it, or be true',
  ),
  timeout: leaf(
    'a number of milliseconds',
    (value) => isTime(value) && Number(value) > 0 && Number(value) <= longestTimer,
  ),
}
const oneSidecar = notBoth('sidecar', 'local', ': both say which sidecar is used')

const pem = leaf(
  'PEM text, a Buffer of it, or the path of its file',
  (value) => typeof value === 'string' || value instanceof Uint8Array,
)
const gateway = { ...ofPlugin, ...listeners, dir: name, port, host: name, spa: boolean, cert: pem, key: pem }

const host = {
  ...{ path: pattern('a path that begins with "/"', /^\//), playersPort: port, playersHost: text, metricsPort: port },
  ...{ maxPlayers: integer(1, 100_000), maxMessage: integer(1, 16 * MB), maxRate: integer(1, 1_000_000) },
  ...{ playerOrigins: texts, trustProxy: networks, webrtc: boolean },
  ...{ browser: text, webgl: boolean, inspect: port, restarts: integer(0, 1_000) },
  ...{ bootTimeout: integer(100, HOUR), hangTimeout: integer(100, HOUR), grace: integer(0, HOUR) },
  ...{ signal: leaf('an AbortSignal', (value) => value instanceof AbortSignal), onEvent: listener },
}

const fleet = {
  ...everywhere,
  ...{ command: texts, dir: name, file: either(name, list(name), Array.isArray), kubeconfig: name },
  ...{ replicas: integer(0, 1_000), max: integer(1, 1_000), port: usualPort, grace: integer(0, HOUR) },
  ports: leaf(
    'the first and the last port, such as [7000, 8000]',
    (value) =>
      Array.isArray(value) && value.length === 2 && value.every(isPort) && value[0] > 0 && value[0] <= value[1],
  ),
  onEvent: listener,
  // Read as files are; `page` by the host.
  ...unread('fleet', 'autoscaler', 'page', 'env'),
}
const oneProgram = rule(({ command, dir }: Fields) =>
  ((command as readonly unknown[] | undefined)?.length ?? 0) > 0 === (dir !== undefined)
    ? { key: 'command', message: 'or dir must say what each GameServer runs: one of them' }
    : undefined,
)

const autoscaler = { port, address: name, cert: pem, key: pem, onWarning: listener }

/** A check of options, which throws InvalidInput for the first mistake. */
const checkOf =
  (schema: Schema) =>
  (value: unknown): void =>
    void read(schema, value, 'The object of options')

export const checkLocalSidecarOptions = checkOf(localSidecar)
export const checkGatewayOptions = checkOf(v.pipe(object(optional(gateway)), oneSidecar))
export const checkPluginOptions = checkOf(v.pipe(object(optional(ofPlugin)), oneSidecar))
// The host's gateway checks its options, and TLS that certificate and key belong together.
const ofGateway = unread('sidecar', 'local', 'platform', 'isolate', 'autoHealth', 'cert', 'key')
export const checkHostOptions = checkOf(object({ dir: name, ...optional(host), ...ofGateway }))
export const checkAutoscalerOptions = checkOf(object({ decide: listener, ...optional(autoscaler) }))
export const checkFleetOptions = checkOf(
  v.pipe(object(optional(fleet)), oneProgram, notBoth('file', 'fleet', '; give the one to start with')),
)
