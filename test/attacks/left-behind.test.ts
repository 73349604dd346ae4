import { readdir, readlink, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { websocketHeaders } from '../node/support.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { expectServing, startGateway, targets } from './support/targets.js'
import { askUntil, watchRequest } from './support/watch.js'
import { dial, head } from './support/wire.js'

const H2C = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQBAAAAAAIAAAAA']

describe.each(targets)('$name forgets a client that leaves', ({ start }) => {
  test('behind a watch, with requests for others on the same connection', async () => {
    const onWarning = vi.fn<(warning: Error) => void>()
    process.on('warning', onWarning)
    onTestFinished(() => void process.off('warning', onWarning))
    const victim = await start()
    const wire = await dial(victim.port, watchRequest(victim, 'stream').repeat(20))
    await wire.saw(/"state":"Ready"/)
    await askUntil(victim, () => victim.watchers() > 0)
    wire.socket.destroy()
    await askUntil(victim, () => victim.watchers() === 0)
    expect(onWarning.mock.calls).toEqual([])
  })

  test.each([
    ['websocket', websocketHeaders],
    ['HTTP/2', H2C],
  ])('that asks for %s behind a watch that goes on', async (_what, headers) => {
    const victim = await start()
    const behind = head(`GET ${victim.at('/watch/gameserver')}`, 'Host: localhost', ...headers)
    const wire = await dial(victim.port, watchRequest(victim, 'stream') + behind)
    expect(await wire.ended).not.toContain(' 101 ')
    await askUntil(victim, () => victim.watchers() === 0)
    await expectServing(victim)
  })

  test.each(['leaves', 'closes its half'])('that offered HTTP/2 for its watch and %s', async (how) => {
    const victim = await start()
    const wire = await dial(victim.port, head(`GET ${victim.at('/watch/gameserver')}`, 'Host: localhost', ...H2C))
    await wire.saw(/"state":"Ready"/)
    expect(victim.watchers()).toBe(1)
    if (how === 'leaves') wire.socket.destroy()
    else wire.socket.end()
    await askUntil(victim, () => victim.watchers() === 0)
  })
})

const FD = '/proc/self/fd'
/** Without it nobody can say which files are open. */
const isLinux = process.platform === 'linux'

test.runIf(isLinux).each(['game.bin', 'game.html'])(
  '%s, asked for many times and never read, stays open for nobody',
  async (name) => {
    const dir = await realpath(await temporaryFolder('gameserver-left'))
    const path = join(dir, name)
    await writeFile(path, Buffer.alloc(4 * 1024 * 1024, ' '))
    const victim = await startGateway({ dir })
    const open = async (): Promise<number> => {
      const links = (await readdir(FD)).map((fd) => readlink(join(FD, fd)).catch(() => ''))
      return (await Promise.all(links)).filter((link) => link === path).length
    }
    const wire = await dial(victim.port)
    wire.socket.pause()
    wire.send(head(`GET /${name}`, 'Host: localhost').repeat(20))
    await vi.waitFor(async () => expect(await open()).toBeGreaterThan(0), 20_000)
    wire.socket.destroy()
    await vi.waitFor(async () => expect(await open()).toBe(0), 20_000)
  },
)
