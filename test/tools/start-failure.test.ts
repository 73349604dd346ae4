import { expect, test } from 'vitest'
import { CommandError, UsageError, startError } from '../../src/cli/exit-codes.js'
import { ProgramError } from '../../src/local/game/start-command.js'
import { HostError } from '../../src/host/host-error.js'
import { GameServerFileError } from '../../src/local/files/game-server-file.js'
import { InvalidInput } from '../../src/platform/schema/check.js'

const system = (code: string): Error => Object.assign(new Error(code), { code })
const place = { port: 1, portFlag: '--port' }

/** Every error that the start of a sidecar, gateway, host or Fleet may throw, with the exit code of the command. */
const rows: readonly (readonly [error: Error, code: number])[] = [
  [new TypeError('max must be 1'), 64],
  [new InvalidInput({ message: 'spec is missing', path: [] }), 64],
  [new GameServerFileError('Cannot read it', { cause: system('EACCES') }), 64],
  [new GameServerFileError('Cannot read it', { cause: system('ENOENT') }), 66],
  [new ProgramError('There is no command "x"', 127), 127],
  [new ProgramError('"x" is no program', 126, { cause: system('EACCES') }), 126],
  [new HostError('NO_BROWSER', 'There is no browser.'), 69],
  [new HostError('NO_BUILD', 'There is no folder.', 'Build it.', { cause: system('ENOENT') }), 66],
  ...['EACCES', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ENOTFOUND', 'EAI_AGAIN', 'EMFILE'].map(
    (code) => [system(code), 64] as const,
  ),
  [system('EADDRINUSE'), 69],
]

test.each(rows)('a start that fails with %s ends the command with one sentence and exit code %i', (error, code) => {
  const end = startError(error, place)
  expect(end instanceof CommandError ? end.code : end instanceof UsageError ? 64 : undefined).toBe(code)
  expect(end.message).toMatch(/^\S.*[.?!]$/)
  expect(end.cause).toBe(error)
})
