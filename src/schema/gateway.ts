import * as v from 'valibot'
import { operations } from '../protocol/operations.js'
import { boolean, either, integer, leaf, list, name, object, optional, read, rule, text, word } from './check.js'
import { listener, localSidecarOptions, platform } from './local-sidecar.js'

/** The longest time that a timer of Node takes. */
const MOST_MS = 0x7fff_ffff

const isTime = (value: unknown): boolean => Number.isFinite(value) && Number(value) > 0 && Number(value) <= MOST_MS
const isToken = (value: unknown): boolean =>
  typeof value === 'boolean' || (typeof value === 'string' && /^[\w.~-]{16,256}$/.test(value))

const pem = leaf('PEM text or a Buffer of it', (value) => typeof value === 'string' || value instanceof Uint8Array)
const trueOrFalse = v.boolean('must be true, false or the options of createLocalSidecar()')

const ofBoth = optional({
  // Whether it is a URL is checked where it is read, since the environment may name it as well.
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

const oneSidecar = rule(({ sidecar, local }) =>
  sidecar === undefined || local === undefined || local === false
    ? undefined
    : { key: 'sidecar', message: 'and local exclude each other: both say which sidecar is used' },
)

const gatewayOptions = v.pipe(
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
)

const pluginOptions = v.pipe(object(ofBoth), oneSidecar)

/** Checks the options of `createGateway()`. @throws InvalidInput for the first mistake */
export const checkGatewayOptions = (value: unknown): void => void read(gatewayOptions, value, 'The object of options')

/** Checks the options of `gameserverSidecar()`. @throws InvalidInput for the first mistake */
export const checkPluginOptions = (value: unknown): void => void read(pluginOptions, value, 'The object of options')
