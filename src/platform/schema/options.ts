import * as v from 'valibot'
import { longestTimer } from '../../protocol/names.js'
import { operations } from '../../protocol/operations.js'
import { isNetwork } from '../../protocol/networks.js'
import { boolean, either, integer, leaf, list, name, object, optional, pattern } from './check.js'
import { read, record, rule, text, unread, word, type Schema } from './check.js'
import { gameServer } from './game-server.js'

/** A check of options, which throws InvalidInput for the first mistake. */
const checkOf =
  (schema: Schema) =>
  (value: unknown): void =>
    void read(schema, value, 'The object of options')

const isIn = (value: unknown, most: number): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most
/** A function that the caller gives. */
const listener = leaf('a function', (value) => typeof value === 'function')
/** The name of a platform, which is a part of variables and of labels. */
const platform = pattern('lower-case letters, digits and dashes', /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)

const usualPort = leaf('"usual" or an integer from 0 to 65535', (value) => value === 'usual' || isIn(value, 65_535))

const isGiven = (value: unknown): boolean => value != null && value !== false

/** Two options that exclude each other. */
const notBoth = (key: string, other: string, why: string) =>
  rule((options) =>
    isGiven(options[key]) && isGiven(options[other])
      ? { key, message: `and ${other} exclude each other${why}` }
      : undefined,
  )

/** Options of `createLocalSidecar()`. */
const localSidecarOptions = v.pipe(
  object(
    optional({
      mode: word(['production', 'local']),
      port: usualPort,
      address: name,
      gameServer,
      file: name,
      platform,
      featureGates: record(boolean),
      replace: leaf(
        'true, false or a number of milliseconds',
        (value) => typeof value === 'boolean' || (Number.isFinite(value) && Number(value) >= 0),
      ),
      // The sidecar checks the names, as it does for the mock.
      conformance: list(text),
      wsLimit: integer(0),
      allowHosts: list(text),
      allowOrigins: list(text),
      dashboard: boolean,
      onWarning: listener,
      onLog: listener,
    }),
  ),
  notBoth('file', 'gameServer', '; give the one to start with'),
)

/** Checks the options of `createLocalSidecar()`. */
export const checkLocalSidecarOptions = checkOf(localSidecarOptions)

const isTime = (value: unknown): boolean => Number.isFinite(value) && Number(value) > 0 && Number(value) <= longestTimer
const isToken = (value: unknown): boolean =>
  typeof value === 'boolean' || (typeof value === 'string' && /^[\w.~-]{16,256}$/.test(value))

const pem = leaf(
  'PEM text, a Buffer of it, or the path of its file',
  (value) => typeof value === 'string' || value instanceof Uint8Array,
)
const trueOrFalse = v.boolean('must be true, false or the options of createLocalSidecar()')

const ofBoth = optional({
  // Its reader checks that it is a URL, since the environment may name it too.
  sidecar: text,
  local: either(trueOrFalse, localSidecarOptions),
  platform,
  deny: list(word(Object.keys(operations))),
  isolate: boolean,
  autoHealth: boolean,
  expose: boolean,
  // A message may be logged, so it doesn't repeat the secret.
  token: v.custom(
    isToken,
    'must have 16 to 256 letters, digits, "-", ".", "_" or "~", so that nobody can guess it, or be true',
  ),
  allowHosts: list(text),
  allowOrigins: list(text),
  timeout: leaf('a number of milliseconds', isTime),
})

const oneSidecar = notBoth('sidecar', 'local', ': both say which sidecar is used')

/** Checks the options of `createGateway()`. */
export const checkGatewayOptions = checkOf(
  v.pipe(
    object({
      ...ofBoth,
      ...optional({
        dir: name,
        port: integer(0, 65_535),
        host: name,
        spa: boolean,
        cert: pem,
        key: pem,
        onWarning: listener,
        onLog: listener,
      }),
    }),
    oneSidecar,
  ),
)

/** Checks the options of `gameserverSidecar()`. */
export const checkPluginOptions = checkOf(v.pipe(object(ofBoth), oneSidecar))

const MB = 1024 * 1024
const HOUR = 3_600_000

const signal = leaf('an AbortSignal', (value) => value instanceof AbortSignal)

const networks = list(leaf('a network such as 10.0.0.0/8', isNetwork))

const metricsOptions = optional({ metricsPort: integer(0, 65_535), metricsAddress: text, metricsFrom: networks })

/** Checks the options of `createHost()`. */
export const checkHostOptions = checkOf(
  object({
    dir: name,
    ...metricsOptions,
    ...optional({
      path: pattern('a path that begins with "/"', /^\//),
      playersPort: integer(0, 65_535),
      playersHost: text,
      maxPlayers: integer(1, 100_000),
      maxMessage: integer(1, 16 * MB),
      maxRate: integer(1, 1_000_000),
      maxBuffered: integer(1_024, 1_024 * MB),
      playerOrigins: list(text),
      trustProxy: networks,
      webrtc: boolean,
      browser: text,
      browserFlags: list(text),
      webgl: boolean,
      bootTimeout: integer(100, HOUR),
      hangTimeout: integer(100, HOUR),
      grace: integer(0, HOUR),
      restarts: integer(0, 1_000),
      inspect: integer(0, 65_535),
      signal,
      onEvent: listener,
    }),
    // TLS checks that the two belong together.
    ...unread('cert', 'key'),
    // The host's gateway checks these.
    ...unread('sidecar', 'local', 'platform', 'deny', 'spa', 'isolate', 'autoHealth'),
  }),
)

const isPort = (value: unknown): boolean => isIn(value, 65_535) && Number(value) > 0

/** Checks the options of `createFleet()`. */
export const checkFleetOptions = checkOf(
  v.pipe(
    object(
      optional({
        ...{
          command: list(text),
          dir: name,
          file: either(name, list(name), Array.isArray),
          kubeconfig: name,
        },
        replicas: integer(0, 1_000),
        max: integer(1, 1_000),
        port: usualPort,
        ports: leaf(
          'the first and the last port, such as [7000, 8000]',
          (value) => Array.isArray(value) && value.length === 2 && value.every(isPort) && value[0] <= value[1],
        ),
        platform,
        grace: integer(0, HOUR),
        allowHosts: list(text),
        allowOrigins: list(text),
        onEvent: listener,
        // Read as files are; `page` by the host.
        ...unread('fleet', 'autoscaler', 'page', 'env'),
      }),
    ),
    rule(({ command, dir }) =>
      ((command as readonly unknown[] | undefined)?.length ?? 0) > 0 === (dir !== undefined)
        ? { key: 'command', message: 'or dir must say what each GameServer runs: one of them' }
        : undefined,
    ),
    notBoth('file', 'fleet', '; give the one to start with'),
  ),
)
