import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** The folder of a game of one page, until the test ends. */
export async function sitePath(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'gateway-site-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  await writeFile(join(path, 'index.html'), '<!doctype html><head><title>A game</title></head><body>')
  return path
}
