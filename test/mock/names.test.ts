import { describe, expect, test } from 'vitest'
import type { FailHow, MockOptions } from '../../src/platform/mock.js'
import type { ControlCommand } from '../../src/platform/sidecar.js'
import { createMock } from '../../src/platform/mock.js'
import { play } from './support.js'

describe('a misspelt name is refused at once', () => {
  test.each<[object, string]>([
    [{ mod: 'local' }, 'createMock() has no option "mod"; did you mean "mode"?'],
    [{ gameServr: {} }, 'createMock() has no option "gameServr"; did you mean "gameServer"?'],
  ])('as an option: %j', (options, message) => {
    expect(() => createMock(options as MockOptions)).toThrow(new TypeError(message))
  })

  test.each<[object, string]>([
    [{ type: 'setStat', state: 'Ready' }, 'there is no command "setStat"; did you mean "setState"?'],
    [{ type: 'setState', stat: 'Ready' }, 'setState has no field "stat"; did you mean "state"?'],
    [{ type: 'setState' }, 'setState needs the field "state"'],
    [{ type: 'allocate', label: {} }, 'allocate has no field "label"; did you mean "labels"?'],
    [{ type: 'restart', downMS: 5, hard: true }, 'restart has no field "downMS"; did you mean "downMs"?'],
    [{ type: 'clearFaults', all: true }, 'clearFaults has no field "all"; it has none at all'],
    [{}, 'there is no command "undefined"; there are allocate, setState,'],
  ])('in a command: %j', (command, message) => {
    const { mock } = play()
    const before = mock.gameServer
    expect(() => mock.control(command as ControlCommand)).toThrow(`mock.control(): ${message}`)
    expect(mock.gameServer).toEqual(before)
  })

  test('in what fail() is given', () => {
    const { mock } = play()
    expect(() => mock.fail('ready', { staus: 500 } as FailHow)).toThrow(
      'mock.fail() has no option "staus"; did you mean "status"?',
    )
  })

  test('but a name without a value is none', () => {
    const { mock } = play({ mode: undefined, other: undefined } as MockOptions)
    expect(mock.control({ type: 'dropWatchers', other: undefined } as ControlCommand)).toEqual({ ok: true })
  })
})
