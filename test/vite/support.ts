import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createServer, type InlineConfig, type Logger, type ViteDevServer } from 'vite'
import { gameserverSidecar, type GameserverSidecarOptions } from '../../src/local/vite.js'
import { root as repository } from '../support/source.js'
import { folderOf } from '../support/temporary-folder.js'

/** How a browser asks for a page. */
export const page = { headers: { accept: 'text/html' } }

/** Whether a server answers. */
export const whereabouts = (url: string): Promise<'there' | 'gone'> =>
  fetch(url).then(
    () => 'there',
    () => 'gone',
  )

export const TAG = '<script src="/_/config.js"></script>'

/** A Vite project, removed after the test. */
export async function project(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const root = await folderOf({
    'index.html':
      '<!doctype html><html><head><title>Game</title></head><body><script type="module" src="/main.js"></script></body></html>',
    'main.js': 'document.title = "started"\n',
    ...files,
  })
  await symlink(join(repository, 'node_modules'), join(root, 'node_modules'))
  return root
}

/** Keeps what Vite would print. */
export interface Lines extends Logger {
  readonly lines: string[]
}

export function collector(): Lines {
  const lines: string[] = []
  const keep = (line: string): void => void lines.push(line)
  return {
    lines,
    info: keep,
    warn: keep,
    warnOnce: keep,
    error: keep,
    clearScreen: () => undefined,
    hasErrorLogged: () => false,
    hasWarned: false,
  }
}

export interface Dev {
  readonly server: ViteDevServer
  readonly url: string
  readonly lines: string[]
}

export const configFor = (root: string, logger: Logger, options?: GameserverSidecarOptions): InlineConfig => ({
  root,
  configFile: false,
  customLogger: logger,
  plugins: [gameserverSidecar(options)],
  optimizeDeps: { noDiscovery: true },
  server: { port: 0, host: '127.0.0.1', watch: null },
  preview: { port: 0, host: '127.0.0.1' },
})

/** Vite's server for development, with the plugin, until the test ends. */
export async function dev(options?: GameserverSidecarOptions, more: InlineConfig = {}): Promise<Dev> {
  const logger = collector()
  const config = configFor(more.root ?? (await project()), logger, options)
  const server = await createServer({ ...config, ...more, server: { ...config.server, ...more.server } })
  onTestFinished(() => server.close())
  await server.listen()
  return { server, url: urlOf(server), lines: logger.lines }
}

const urlOf = ({ resolvedUrls, config }: ViteDevServer): string =>
  resolvedUrls!.local[0]!.replace(/\/$/, '').replace(config.base.replace(/\/$/, ''), '')

/** The URL of the local sidecar in the plugin's latest line. */
export const localUrl = (lines: readonly string[]): string =>
  lines.flatMap((line) => /Local sidecar .* at (\S+),/.exec(line)?.[1] ?? []).at(-1)!
