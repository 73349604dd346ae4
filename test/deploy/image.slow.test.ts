import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { existsSync, readFileSync } from 'node:fs'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { parse } from 'yaml'
import { createLocalSidecar } from '../../src/node/index.js'
import { debianRoot, megabytesOf, removeStages, whyNoImages } from './support/debian-root.js'
import { buildImage, runImage, type Container, type Image } from './support/image.js'
import { writeNodeProject, writePageProject } from './support/projects.js'

const why = whyNoImages()
if (why !== undefined) console.warn(`The images are not built: ${why}.`)

/** Megabytes that a page's image may have, and a Node program's. */
const LIMITS = { page: 400, node: 180 }

interface Manifest {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] } }
  }
}

describe.skipIf(why !== undefined)('the images that init describes', () => {
  let folder: string
  const place = (name: string): string => join(folder, name)

  let umask: number

  beforeAll(async () => {
    // Folders of the image that this program makes stand for those that a builder makes.
    umask = process.umask(0o022)
    const base = await debianRoot()
    folder = await mkdtemp(join(dirname(base), 'run-'))
    await Promise.all(['page-project', 'full-project', 'node-project'].map((name) => mkdir(place(name))))
    // The user of an image is another one, who may not read what was written so.
    process.umask(0o077)
    await writePageProject(place('page-project'), { webrtc: false })
    await writePageProject(place('full-project'), { webrtc: true })
    await writeNodeProject(place('node-project'))
    process.umask(0o022)
    page = await buildImage(base, place('page-project'), place('page'))
    full = await buildImage(base, place('full-project'), place('full'))
    node = await buildImage(base, place('node-project'), place('node'))
    await removeStages(base, 2)
  }, 900_000)
  afterAll(async () => {
    process.umask(umask)
    await rm(folder, { recursive: true, force: true })
  })

  let page: Image
  /** A page with everything that has to be asked for. */
  let full: Image
  let node: Image

  test('hold what their servers need, and no more', async () => {
    const sizes = { page: await megabytesOf(page.root), node: await megabytesOf(node.root) }
    console.log(`Megabytes of the images: page ${sizes.page.toFixed()}, Node ${sizes.node.toFixed()}`)
    expect(sizes.page).toBeLessThanOrEqual(LIMITS.page)
    expect(sizes.node).toBeLessThanOrEqual(LIMITS.node)
    for (const { root } of [page, node]) {
      for (const absent of ['bin/sh', 'usr/bin/sh', 'usr/bin/apt-get', 'usr/local/bin/npm', 'root/.npmrc']) {
        expect(existsSync(join(root, absent)), absent).toBe(false)
      }
    }
    expect(existsSync(join(node.root, 'server/server.mjs'))).toBe(true)
    expect(existsSync(join(node.root, 'server/.env'))).toBe(false)
    expect(existsSync(join(page.root, 'game/index.html'))).toBe(true)
  })

  /** Starts an image with the arguments of its manifest, beside a sidecar. */
  async function start(image: Image, project: string, more: readonly string[], env: Record<string, string> = {}) {
    const sidecar = await createLocalSidecar({ port: 0, file: join(place(project), 'gameserver.yaml') })
    onTestFinished(() => sidecar.close())
    const { spec } = parse(readFileSync(join(place(project), 'gameserver.yaml'), 'utf8')) as Manifest
    const args = [...spec.template.spec.containers[0]!.args, ...more]
    const container = await runImage(image, args, { AGONES_SDK_HTTP_PORT: new URL(sidecar.url).port, ...env })
    onTestFinished(async () => {
      await container.remove()
      await expect.poll(() => container.processes().map(({ pid }) => pid)).toEqual([])
    })
    return { sidecar, container }
  }

  const stateAt = async (url: string): Promise<string> =>
    ((await (await fetch(`${url}/gameserver`)).json()) as { status: { state: string } }).status.state

  /** Every process of the container may do as little as the manifests say, and none waits to be taken away. */
  function expectLeastRights(container: Container): void {
    const processes = container.processes()
    expect(processes.length).toBeGreaterThan(1)
    for (const { pid, status } of processes) {
      expect(status).toMatchObject({
        NoNewPrivs: '1',
        CapEff: NONE,
        CapPrm: NONE,
        CapInh: NONE,
        CapBnd: NONE,
        CapAmb: NONE,
      })
      expect(status['Uid']).toMatch(/^1001\t1001\t1001\t1001$/)
      expect(status['Gid']).toMatch(/^1001\t1001\t1001\t1001$/)
      expect(status['Groups']?.trim()).toBe('')
      const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8').split('\n')
      expect(mounts.find((line) => line.split(' ')[4] === '/')).toMatch(/ \/ ro,/)
    }
    expect(zombiesOf(container)).toEqual([])
  }

  const NONE = '0000000000000000'

  test('a page is hosted in its image, talks to the sidecar and players, and ends in order', async () => {
    const { sidecar, container } = await start(page, 'page-project', ['--players-port=0'])
    const [, port] = await container.line(/"event":"listening".*"players":"ws:\/\/[^"]*:(\d+)/)
    await container.line(/"event":"booted"/)
    await container.line(/text is drawn/)
    await expect.poll(() => stateAt(sidecar.url)).toBe('Ready')

    const player = new WebSocket(`ws://127.0.0.1:${port!}`)
    await once(player, 'open')
    const answered = once(player, 'message')
    player.send('hello')
    const [data] = (await answered) as [Buffer]
    expect(String(data)).toBe('echo hello')

    expectLeastRights(container)
    const left = once(player, 'close')
    container.signal('SIGTERM')
    const [code] = (await left) as [number]
    expect(code).toBe(1001)
    expect(await container.exited).toBe(0)
    await expect.poll(() => stateAt(sidecar.url)).toBe('Shutdown')
  })

  test('a page has WebRTC and WebGL in its image, by the flags for them', async () => {
    const { container } = await start(full, 'full-project', ['--players-port=0', '--webgl'])
    await container.line(/WebGL is there/)
    expect(container.lines.join('\n')).not.toContain('node-datachannel')
    // Of another image, in which the package isn't.
    const without = await start(page, 'full-project', ['--players-port=0'])
    await without.container.line(/node-datachannel/)
  })

  const browserOf = (container: Container): number =>
    container.processes().find(({ status }) => status['Name']?.startsWith('chrom'))!.pid

  test('a browser that dies in its image leaves no zombie beside the next one', async () => {
    const { container } = await start(page, 'page-project', ['--players-port=0', '--path=/idle.html'])
    await container.line(/"event":"booted"/)
    const first = browserOf(container)
    process.kill(first, 'SIGKILL')
    await expect.poll(() => container.lines.filter((line) => line.includes('"event":"booted"'))).toHaveLength(2)
    expect(browserOf(container)).not.toBe(first)
    await expect.poll(() => zombiesOf(container)).toEqual([])
  })

  const zombiesOf = (container: Container): unknown[] =>
    container.processes().filter(({ status }) => status['State']!.startsWith('Z'))

  test('when the browser dies in its image after Ready, the host says so and exits with 70', async () => {
    const { sidecar, container } = await start(page, 'page-project', ['--players-port=0'])
    await expect.poll(() => stateAt(sidecar.url)).toBe('Ready')
    process.kill(browserOf(container), 'SIGKILL')
    await container.line(/"event":"crash"/)
    expect(await container.exited).toBe(70)
  })

  test('a Node program is hosted in its image, and ends in order', async () => {
    const { sidecar, container } = await start(node, 'node-project', [], { PORT: '0' })
    const [, port] = await container.line(/listens at (\d+)/)
    await expect.poll(() => stateAt(sidecar.url)).toBe('Ready')
    expect(await (await fetch(`http://127.0.0.1:${port!}/`)).text()).toBe('hello')
    expectLeastRights(container)
    container.signal('SIGTERM')
    expect(await container.exited).toBe(0)
    await expect.poll(() => stateAt(sidecar.url)).toBe('Shutdown')
  })
})
