import * as v from 'valibot'
import {
  anything,
  boolean,
  integer,
  leaf,
  list,
  name,
  object,
  optional,
  pattern,
  read,
  rule,
  text,
  unread,
  word,
} from './check.js'

const MB = 1024 * 1024
const HOUR = 3_600_000

const listener = leaf('a function', (value) => typeof value === 'function')
const signal = leaf('an AbortSignal', (value) => value instanceof AbortSignal)

const options = object({
  dir: name,
  ...optional({
    path: pattern('a path that begins with "/"', /^\//),
    playersPort: integer(0, 65_535),
    playersHost: text,
    maxPlayers: integer(1, 100_000),
    maxMessage: integer(1, 16 * MB),
    maxRate: integer(1, 1_000_000),
    maxBuffered: integer(1_024, 1_024 * MB),
    playerOrigins: list(text),
    webrtc: boolean,
    browser: text,
    browserFlags: list(text),
    webgl: boolean,
    bootTimeout: integer(100, HOUR),
    hangTimeout: integer(100, HOUR),
    grace: integer(0, HOUR),
    restarts: integer(0, 1_000),
    maxMemory: integer(16 * MB),
    signal,
    onEvent: listener,
  }),
  // Whether the two belong together, TLS itself tells.
  ...unread('cert', 'key'),
  // The gateway inside looks at its own options.
  ...unread('sidecar', 'local', 'platform', 'deny', 'spa', 'isolate', 'autoHealth', 'timeout'),
})

/** Checks the options of `createHost()`. @throws InvalidInput for the first mistake */
export const checkHostOptions = (value: unknown): void => void read(options, value, 'The object of options')

const programOptions = v.pipe(
  object({
    file: name,
    ...optional({
      args: list(text),
      runtime: word(['node', 'deno', 'bun']),
      runtimeArgs: list(text),
      sidecar: text,
      local: anything,
      platform: pattern('a name such as agones', /^[a-z\d][-a-z\d]*$/),
      grace: integer(1, 2 ** 31 - 1),
      restarts: integer(0),
      onEvent: listener,
    }),
  }),
  rule(({ local, sidecar }) =>
    local && sidecar !== undefined
      ? { key: 'sidecar', message: 'and local exclude each other; give the one that the program should use' }
      : undefined,
  ),
)

/** Checks the options of `createProgramHost()`. @throws InvalidInput for the first mistake */
export const checkProgramHostOptions = (value: unknown): void =>
  void read(programOptions, value, 'The object of options')
