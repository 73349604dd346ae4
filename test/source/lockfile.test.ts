import { expect, test } from 'vitest'
import { read } from '../support/source.js'

interface Locked {
  readonly optionalDependencies?: Record<string, string>
}

// npm leaves a package of another platform out of the lock file if npm can't see that package. `npm ci` then fails on every
// machine.
const folders = [
  '.',
  'test/hosts/runtimes',
  'test/browsers/chromium',
  ...['colyseus-0.16', 'colyseus-0.17', 'colyseus-0.18', 'socket.io', 'agones-sdk'].map(
    (name) => `test/frameworks/${name}`,
  ),
]
test.each(folders)('the lock file in %s holds the optional packages of every platform', (folder) => {
  const { packages } = JSON.parse(read(`${folder}/package-lock.json`)) as { packages: Record<string, Locked> }
  const held = new Set(
    Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)),
  )
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !held.has(name))
      .map((name) => `${path}: ${name}`),
  )
  expect(missing).toEqual([])
})
