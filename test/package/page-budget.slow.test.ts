import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type * as Node from '../../src/node.js'
import { read, root } from '../support/source.js'

const { brotliBytes } = JSON.parse(read('build/budgets.json')) as { brotliBytes: Readonly<Record<string, number>> }

test.each(Object.entries(brotliBytes))("%s's page has at most %i bytes by Brotli", async (_, limit) => {
  const { createLocalSidecar } = (await import(join(root, 'dist/node.js'))) as typeof Node
  const local = await createLocalSidecar({ port: 0 })
  onTestFinished(() => local.close())
  const { headers } = await fetch(`${local.url}/_/`, { headers: { 'accept-encoding': 'br' } })
  expect(Number(headers.get('content-length'))).toBeLessThanOrEqual(limit)
})
