import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import send from 'send'
import { afterAll, describe, onTestFinished } from 'vitest'
import { stringify } from 'yaml'
import { createSidecarServer } from '../../../src/local/sidecar/sidecar-server.js'
import { createSidecar, type Sidecar, type SidecarConfig } from '../../../src/platform/sidecar.js'
import { startRealSidecar } from '../../contract/support/real-sidecar.js'
import { binaries } from '../../contract/support/releases.js'
import { gameServer } from '../../hosts/support/sidecar.js'
import { read, root } from '../../support/source.js'
import { listenHere } from '../../support/listen.js'

const OPERATIONS = 'test/hosts/guest/all-operations.mjs'

const shipped = {
  'test/browsers/pages': '.',
  [OPERATIONS]: 'all-operations.mjs',
  'dist/gameserver-sidecar.umd.js': 'umd.js',
  'dist/index.browser.js': 'esm/index.browser.js',
  'dist/chunks': 'esm/chunks',
}

/** Makes a folder with the pages and the builds that they load, and removes it after the file's tests. */
export function buildGame(more: Readonly<Record<string, string>> = {}): string {
  const game = mkdtempSync(join(tmpdir(), 'gameserver-game-'))
  afterAll(() => rmSync(game, { recursive: true, force: true }))
  for (const [from, to] of Object.entries({ ...shipped, ...more })) {
    cpSync(join(root, from), join(game, to), { recursive: true })
  }
  // A page from a file may not load modules.
  writeFileSync(join(game, 'all-operations.js'), read(OPERATIONS).replace(/^export /gm, ''))
  return game
}

/** The query that tells a page without a gateway where the sidecar is. */
export const sidecarQuery = (url: string): string => `?sidecar=${encodeURIComponent(url)}`

export interface PageServer {
  /** The address of a file in the folder. */
  url(path: string, host?: string): string
  origin: string
}

/** Serves a folder on an origin of its own until the test is finished. */
export async function servePages(folder: string, headers: Readonly<Record<string, string>> = {}): Promise<PageServer> {
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    send(request, new URL(request.url!, 'http://page').pathname, { root: folder }).pipe(response)
  })
  const port = await listenHere(server)
  return {
    origin: `http://127.0.0.1:${port}`,
    url: (path, host = '127.0.0.1') => `http://${host}:${port}/${path}`,
  }
}

export interface OpenSidecar {
  url: string
  sidecar: Sidecar
}

/**
 * Starts a sidecar that ignores Host and Origin and sends no CORS headers, like the real one: pages of every origin may
 * call it, and none may read its answers.
 */
export async function startOpenSidecar(config: Partial<SidecarConfig>): Promise<OpenSidecar> {
  const sidecar = createSidecar(config, {
    now: () => Date.now(),
    setTimer(ms, fire) {
      const timer = setTimeout(fire, ms)
      return () => clearTimeout(timer)
    },
  })
  const { server } = createSidecarServer({
    target: { sidecar, control: sidecar.control },
    guard: ({ url }) => ({ target: url ?? '/', host: 'localhost', foreignOrigin: undefined }),
    token: undefined,
    lineLimit: Infinity,
    onFault: (error) => {
      throw error
    },
  })
  const port = await listenHere(server)
  onTestFinished(() => sidecar.close())
  return { url: `http://127.0.0.1:${port}`, sidecar }
}

/** Runs a suite against each real sidecar that SDK_SERVERS names. */
export function againstRealSidecar(suite: (start: () => Promise<{ url: string }>) => void): void {
  describe.each(binaries)('before a real sidecar, $release', (binary) => {
    suite(async () => {
      const file = stringify({ apiVersion: 'agones.dev/v1', kind: 'GameServer', ...gameServer })
      const { port, stop } = await startRealSidecar(binary, { file })
      onTestFinished(stop)
      return { url: `http://127.0.0.1:${port}` }
    })
  })
}
