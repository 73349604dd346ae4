import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createServer } from 'vite'
import { readGameServer } from '../cli/support.js'
import { bundleSource } from '../support/bundle-source.js'
import { collector, localUrl, project } from './support.js'

test('Vite finds the plugin in a configuration file, and again when that has changed', async () => {
  vi.stubEnv('AGONES_SDK_HTTP_PORT', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  const source = join(process.cwd(), 'src/local/vite.ts')
  const root = await project({
    'vite.config.ts': `import { gameserverSidecar } from './plugin.mjs'\nexport default { plugins: [gameserverSidecar()] }\n`,
  })
  await bundleSource(`export { gameserverSidecar } from ${JSON.stringify(source)}`, join(root, 'plugin.mjs'))
  const logger = collector()
  const server = await createServer({
    root,
    customLogger: logger,
    configFile: join(root, 'vite.config.ts'),
    server: { port: 0, host: '127.0.0.1', watch: null },
  })
  onTestFinished(() => server.close())
  await server.listen()
  const starts = (): number => logger.lines.filter((line) => line.includes('Local sidecar')).length
  await expect.poll(starts, { timeout: 20_000 }).toBe(1)
  await server.restart()
  await expect.poll(starts, { timeout: 20_000 }).toBe(2)
  expect((await readGameServer(localUrl(logger.lines))).status.state).toBe('Scheduled')
  await server.close()
  await expect(fetch(localUrl(logger.lines))).rejects.toThrow()
})
