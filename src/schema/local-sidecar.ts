import * as v from 'valibot'
import {
  boolean,
  integer,
  leaf,
  list,
  name,
  object,
  optional,
  pattern,
  read,
  record,
  rule,
  text,
  word,
} from './check.js'
import { gameServer } from './game-server.js'

const isIn = (value: unknown, most: number): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most
/** A function that the caller gives. */
export const listener = leaf('a function', (value) => typeof value === 'function')
/** The name of a platform, which is a part of variables and of labels. */
export const platform = pattern('lower-case letters, digits and dashes', /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)

/** Options of `createLocalSidecar()`. */
export const localSidecarOptions = v.pipe(
  object(
    optional({
      mode: word(['production', 'local']),
      port: leaf('"usual" or an integer from 0 to 65535', (value) => value === 'usual' || isIn(value, 65_535)),
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
      record: name,
      redact: list(text),
      wsLimit: integer(0),
      allowHosts: list(text),
      allowOrigins: list(text),
      dashboard: boolean,
      onWarning: listener,
      onLog: listener,
    }),
  ),
  rule(({ file, gameServer }) =>
    file === undefined || gameServer === undefined
      ? undefined
      : { key: 'file', message: 'and gameServer exclude each other; give the one to start with' },
  ),
)

/** Checks the options of `createLocalSidecar()`. @throws InvalidInput for the first mistake */
export const checkLocalSidecarOptions = (value: unknown): void =>
  void read(localSidecarOptions, value, 'The object of options')
