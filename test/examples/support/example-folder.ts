import { existsSync, readdirSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GameServerAllocation } from '../../../src/platform/sidecar.js'
import { documentsOf } from '../../deploy/support/variants.js'
import { read, root } from '../../support/source.js'
import type { Cleanup } from '../../support/start-process.js'

/**
 * Copies an example and links this package's build and `ws` there, as `npm install` would. In its original place an
 * example can't import this package, since its own package.json ends the scope of the package's name.
 */
export async function exampleFolder({ onTestFinished }: Cleanup, example: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `example-${example}-`))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  const filter = (path: string): boolean => !path.includes('node_modules')
  await cp(join(root, 'examples', example), folder, { recursive: true, filter })
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '.bin'), { recursive: true })
  await symlink(root, join(modules, 'gameserver-sidecar'), 'dir')
  await symlink(join(root, 'node_modules/ws'), join(modules, 'ws'), 'dir')
  const command = join(modules, '.bin/gameserver-sidecar')
  await writeFile(command, `#!/bin/sh\nexec node "${join(root, 'dist/cli.js')}" "$@"\n`)
  await chmod(command, 0o755)
  return folder
}

/** The folders in `examples`. */
export const examples: readonly string[] = readdirSync(join(root, 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** The object in a manifest of an example. Undefined without such a file. */
export function manifestOf(example: string, file: string): unknown {
  const path = join('examples', example, file)
  if (!existsSync(join(root, path))) return undefined
  const [document, ...more] = documentsOf(read(path))
  if (document === undefined || more.length > 0) throw new Error(`${path} must hold one document`)
  return document
}

export const allocationOf = (example: string): GameServerAllocation =>
  manifestOf(example, 'allocation.yaml') as GameServerAllocation
