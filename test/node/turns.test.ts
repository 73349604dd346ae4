import { expect, test } from 'vitest'
import { createTurns } from '../../src/node/local/turns.js'
import { collectUncaught } from '../support/uncaught.js'

/** Longer than work may last before others have their turn. */
function beBusy(): void {
  const end = performance.now() + 5
  while (performance.now() < end);
}

test('work for many readers is done in its order, and all else has its turn between the pieces', async () => {
  const takeTurn = createTurns()
  const done: string[] = []
  const worked = new Promise<void>((resolve) => {
    for (let i = 1; i <= 4; i += 1) {
      takeTurn(() => {
        beBusy()
        done.push(String(i))
        if (i === 4) resolve()
      })
    }
  })
  const call = (): void => {
    done.push('call')
    if (!done.includes('4')) setImmediate(call)
  }
  setImmediate(call)
  await worked
  expect(done.filter((one) => one !== 'call')).toEqual(['1', '2', '3', '4'])
  for (const i of [1, 2, 3]) {
    expect(done.slice(done.indexOf(String(i)), done.indexOf(String(i + 1)))).toContain('call')
  }
})

test('work that asks for more work comes after what waits already', async () => {
  const takeTurn = createTurns()
  const done: string[] = []
  takeTurn(() => {
    done.push('a')
    takeTurn(() => done.push('a again'))
  })
  takeTurn(() => done.push('b'))
  await expect.poll(() => done).toEqual(['a', 'b', 'a again'])
})

test('work that throws stops no other, and is an uncaught error', async () => {
  const uncaught = collectUncaught()
  const takeTurn = createTurns()
  const done: string[] = []
  const fail = (): never => {
    throw new Error('on purpose')
  }
  takeTurn(fail)
  takeTurn(() => done.push('a'))
  await expect.poll(() => done).toEqual(['a'])
  takeTurn(fail)
  await expect.poll(() => uncaught).toHaveLength(2)
  takeTurn(() => done.push('b'))
  await expect.poll(() => done).toEqual(['a', 'b'])
})
