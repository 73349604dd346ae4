import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '../support/temporary-folder.js'

/** The folder of a game of one page, until the test ends. */
export async function sitePath(): Promise<string> {
  const path = await temporaryFolder('gateway-site')
  await writeFile(join(path, 'index.html'), '<!doctype html><head><title>A game</title></head><body>')
  return path
}
