import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { read, root } from '../support/source.js'

test('./colyseus imports nothing but the client, the players and the shared part, and has the same exports for import and require', () => {
  for (const file of ['dist/colyseus.js', 'dist/colyseus.cjs', 'dist/colyseus.d.cts']) {
    const names = [...read(file).matchAll(/(?:from ?|require\()['"]([^'"]+)['"]/g)].map(([, name]) => name)
    const packages = names.filter((name) => !/^\.\/chunks\/attached-server\.c?js$/.test(name!))
    expect([...new Set(packages)].sort(), file).toEqual(['gameserver-sidecar', 'gameserver-sidecar/players'])
  }
  expect(Object.keys(createRequire(import.meta.url)(`${root}/dist/colyseus.cjs`) as object)).toEqual(['sidecarPlugin'])
  expect(/export ?\{([^}]*)\}/.exec(read('dist/colyseus.js'))?.[1]?.trim().split(' ').at(-1)).toBe('sidecarPlugin')
})
