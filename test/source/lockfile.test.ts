import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { read, root } from '../support/source.js'

interface Locked {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly optionalDependencies?: Record<string, string>
}

const files = execFileSync('git', ['ls-files', '*package-lock.json'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')

describe.each(files)('%s', (file) => {
  const { packages } = JSON.parse(read(file)) as { packages: Record<string, Locked> }
  const installed = Object.entries(packages).filter(([path]) => path !== '')

  // npm leaves a package of another platform out of the lock file if npm can't see that package. `npm ci` then fails on
  // every machine.
  test('holds the optional packages of every platform', () => {
    const held = new Set(
      installed.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)),
    )
    const missing = installed.flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !held.has(name))
        .map((name) => `${path}: ${name}`),
    )
    expect(missing).toEqual([])
  })

  // Without a hash, `npm ci` runs whatever a registry answers.
  test('has the hash of every package, and names no registry', () => {
    const unsafe = installed.filter(([, { version, integrity }]) => version !== undefined && !integrity)
    expect(unsafe.map(([path]) => path)).toEqual([])
    expect(installed.filter(([, { resolved }]) => resolved?.includes(':')).map(([path]) => path)).toEqual([])
  })
})
