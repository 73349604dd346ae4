import { once } from 'node:events'
import fs from 'node:fs'
import { readdir, readlink, realpath } from 'node:fs/promises'
import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createStaticFiles } from '../../src/node/gateway/files/static-files.js'
import { CONFIG, folderOf } from './static-support.js'

const FD = '/proc/self/fd'

/** The files of a folder that are open; where no system tells, none. */
async function openIn(folder: string): Promise<string[]> {
  const fds = await readdir(FD).catch(() => [])
  const links = await Promise.all(fds.map((fd) => readlink(join(FD, fd)).catch(() => '')))
  return links.filter((link) => link.startsWith(folder))
}

test('a client that leaves while a file is looked at harms nobody, and the file is closed', async () => {
  const folder = await realpath(await folderOf({ 'a.bin': 'a' }))
  const handle = createStaticFiles({ dir: folder, configScript: CONFIG })
  const client = new Socket()
  const { stat } = fs
  const spy = vi.spyOn(fs, 'stat').mockImplementation(((path: string, callback: (...args: unknown[]) => void) => {
    stat(path, (...args) => {
      left.then(() => setImmediate(callback, ...args), callback)
      client.destroy()
    })
  }) as typeof stat)
  onTestFinished(() => spy.mockRestore())
  let left!: Promise<unknown>
  let done!: Promise<void>
  const server = createServer((message, reply) => {
    left = once(reply, 'close')
    done = handle(message, reply)
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  client.connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.write('GET /a.bin HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(client, 'close')
  await vi.waitFor(() => expect(spy).toHaveBeenCalled(), 20_000)
  await done
  await vi.waitFor(async () => expect(await openIn(folder)).toEqual([]), 20_000)
})

test.each(['/', '/a.bin', '/b.js.gz'])('%s is not sent to a client that has left before its turn', async (url) => {
  const files = { 'index.html': '<p>page', 'a.bin': 'a', 'b.js.gz': gzipSync('b') }
  const folder = await realpath(await folderOf(files))
  const handle = createStaticFiles({ dir: folder, configScript: CONFIG })
  const headers = { 'accept-encoding': 'identity' }
  const message = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url, headers })
  const reply = new ServerResponse(message)
  reply.destroy()
  reply.emit('close')
  await handle(message, reply)
  expect(await openIn(folder)).toEqual([])
})
