import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { GameServerAllocation } from '../../../src/sidecar/index.js'
import { documentsOf } from '../../deploy/support/variants.js'
import { read, root } from '../../support/source.js'

/** The folders in `examples`. */
export const examples: readonly string[] = readdirSync(join(root, 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** The one object in a manifest of an example; undefined if the example has no such file. */
export function manifestOf(example: string, file: string): unknown {
  const path = join('examples', example, file)
  if (!existsSync(join(root, path))) return undefined
  const [document, ...more] = documentsOf(read(path))
  if (document === undefined || more.length > 0) throw new Error(`${path} must hold one document`)
  return document
}

export const allocationOf = (example: string): GameServerAllocation =>
  manifestOf(example, 'allocation.yaml') as GameServerAllocation
