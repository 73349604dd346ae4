import { describe, expect, test, vi } from 'vitest'
import { Scope } from '../../src/client/runtime/scope.js'

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a scope', () => {
  test('ends once, with the first reason, and tells everybody who asked before and after', () => {
    const scope = new Scope()
    const told: string[] = []
    scope.onEnd(() => void told.push('first'))
    const forget = scope.onEnd(() => void told.push('forgotten'))
    scope.onEnd(() => void told.push('last'))
    forget()
    expect(scope.reason).toBeUndefined()
    scope.end('why')
    scope.end('another')
    expect(scope.reason).toBe('why')
    expect(told).toEqual(['first', 'last'])
    scope.onEnd(() => void told.push('too late'))()
    expect(told).toEqual(['first', 'last', 'too late'])
  })

  test('that ends without a reason has ended all the same', () => {
    const scope = new Scope()
    scope.throwIfEnded()
    scope.end()
    expect(scope.reason).toBeTruthy()
    expect(() => scope.throwIfEnded()).toThrow()
  })

  test('ends its children for the same reason, and not the other way round', () => {
    const parent = new Scope()
    const [first, second] = [new Scope(parent), new Scope(parent)]
    first.end('by itself')
    expect([parent.reason, second.reason]).toEqual([undefined, undefined])
    parent.end('all of you')
    expect([first.reason, second.reason]).toEqual(['by itself', 'all of you'])
    expect(new Scope(parent).reason).toBe('all of you')
  })

  test('that has ended asks nothing of its parent any more', () => {
    const parent = new Scope()
    const forget = vi.fn()
    const onEnd = vi.spyOn(parent, 'onEnd').mockReturnValue(forget)
    const child = new Scope(parent)
    expect(onEnd).toHaveBeenCalledTimes(1)
    expect(forget).not.toHaveBeenCalled()
    child.end()
    expect(forget).toHaveBeenCalledTimes(1)
  })
})

describe('a wait', () => {
  test('resolves with what it was waiting for, and is then over', async () => {
    const scope = new Scope()
    let wait: Scope | undefined
    const over = vi.fn()
    const waiting = scope.wait<number>((resolve, own) => {
      wait = own
      own.onEnd(over)
      queueMicrotask(() => resolve(7))
    })
    expect(await waiting).toBe(7)
    expect(over).toHaveBeenCalledTimes(1)
    expect(wait!.reason).toBeTruthy()
    expect(scope.reason).toBeUndefined()
  })

  test('rejects with the reason of its scope, or with its own', async () => {
    const scope = new Scope()
    const own = scope.wait((_resolve, wait) => wait.end(new Error('its own')))
    await expect(own).rejects.toThrow('its own')
    const others = scope.wait(() => {})
    scope.end(new Error("the scope's"))
    await expect(others).rejects.toThrow("the scope's")
  })

  test('does not begin in a scope that has ended', async () => {
    const scope = new Scope()
    scope.end(new Error('ended before'))
    const start = vi.fn()
    await expect(scope.wait(start)).rejects.toThrow('ended before')
    expect(start).not.toHaveBeenCalled()
  })
})

describe('a race', () => {
  test('is won by the promise, whichever way it goes', async () => {
    const scope = new Scope()
    expect(await scope.race(Promise.resolve(7))).toBe(7)
    await expect(scope.race(Promise.reject(new Error('lost')))).rejects.toThrow('lost')
  })

  test('is won by the end of the scope while the promise goes on', async () => {
    const scope = new Scope()
    const race = scope.race(new Promise(() => {}))
    scope.end(new Error('ended'))
    await expect(race).rejects.toThrow('ended')
    await expect(scope.race(new Promise(() => {}))).rejects.toThrow('ended')
  })

  test('that is over leaves nothing behind in its scope', async () => {
    const scope = new Scope()
    const forget = vi.fn()
    vi.spyOn(scope, 'onEnd').mockReturnValue(forget)
    await scope.race(Promise.resolve())
    expect(forget).toHaveBeenCalledTimes(1)
    await scope.race(Promise.reject(new Error('lost'))).catch(() => {})
    await settle()
    expect(forget).toHaveBeenCalledTimes(2)
  })
})
