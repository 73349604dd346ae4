import { expect, test } from 'vitest'

const { createArenaView } = (await import(new URL('../../demo/shared/arena-view.mjs', import.meta.url).href)) as {
  createArenaView(canvas: object): { draw(match: object, self: string, time: number): void }
}

interface Name {
  readonly text: string
  readonly x: number
  readonly y: number
}

/** Draws players at places, and returns their names as they stand in the picture; each letter is 8 pixels wide. */
function namesAt(...places: readonly (readonly [name: string, x: number, y: number])[]): Name[] {
  const names: Name[] = []
  const pen: Record<string, unknown> = {
    fillText: (text: string, x: number, y: number) => names.push({ text, x, y }),
    measureText: (text: string) => ({ width: text.length * 8 }),
  }
  const context = new Proxy(pen, { get: (own, name: string) => own[name] ?? (() => undefined) })
  const canvas = { width: 960, height: 600, getContext: () => context }
  const players = places.map(([name, x, y]) => ({ id: name, name, x, y, color: 'red' }))
  createArenaView(canvas).draw({ players, stars: [] }, 'nobody', 0)
  return names
}

test('names of players beside each other share no place, and a name at the upper edge stands below its player', () => {
  const names = namesAt(['Ada (bot)', 100, 100], ['Bob (bot)', 130, 100], ['Cleo (bot)', 115, 104], ['Top', 400, 20])
  expect(names.map(({ text }) => text)).toContain('Ada (bot)')
  expect(names.find(({ text }) => text === 'Top')?.y).toBe(56)
  for (const a of names)
    for (const b of names)
      if (a !== b)
        expect(Math.abs(a.y - b.y) > 18 || Math.abs(a.x - b.x) > (a.text.length + b.text.length) * 4).toBe(true)
})
