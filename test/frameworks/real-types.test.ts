import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/source.js'
import { isOwn, typeCheck } from '../support/type-check.js'

const folder = (name: string): string => join(root, 'test/frameworks', name)

const colyseus = `
import { Server, matchMaker, type Client } from '@colyseus/core'
import { sidecarPlugin, type ColyseusMatchMaker } from '../../../../src/players/colyseus.js'
const server = new Server({})
export const sidecar = sidecarPlugin(server, { matchMaker, idOf: (client) => client.sessionId })
// @ts-expect-error -- lacks all members of a server
sidecarPlugin({}, { matchMaker })
// @ts-expect-error -- lacks all members of a matchMaker
export const none: ColyseusMatchMaker = {}
declare const client: Client
sidecarPlugin(server, { matchMaker, idOf: (given: Pick<typeof client, 'sessionId'>) => given.sessionId })
`

/** Our class can be assigned to the official one but for `alpha`, and has members that the official one lacks. */
const agonesSdk = `
import Official from '@google-cloud/agones-sdk/src/index'
import Beta from '@google-cloud/agones-sdk/src/beta'
import AgonesSDK from '../../../../src/engines/agones-sdk.js'
export const checked: Omit<Official, 'alpha'> & { beta: Beta } = new AgonesSDK()
export const none: Exclude<keyof Official, keyof AgonesSDK | 'alpha'> = undefined as never
// @ts-expect-error -- our class has more members
export const more: Exclude<keyof AgonesSDK, keyof Official> = undefined as string
`

/** The file of a user of the package, by the folder of the packages that it imports. */
const users: Record<string, string> = {
  'agones-sdk': agonesSdk,
  'colyseus-0.17': colyseus,
  'colyseus-0.18': colyseus,
  'socket.io': `
import http from 'node:http'
import https from 'node:https'
import { Server } from 'socket.io'
import { WebSocketServer } from 'ws'
import { attachServer as attachSocketIo } from '../../../../src/players/socket.io.js'
import { attachServer } from '../../../../src/players/ws.js'
interface Events { say(text: string): void }
attachSocketIo(new Server())
attachSocketIo(new Server<Events, Events, Events, { name: string }>(http.createServer()), { namespace: '/game' })
attachServer(http.createServer(), { idOf: ({ url, headers }) => url ?? String(headers['authorization']) })
attachServer(https.createServer())
attachServer(new WebSocketServer({ port: 0 }))
attachServer(new WebSocketServer({ noServer: true }), { server: http.createServer() })
// @ts-expect-error -- is no server of ws
attachServer(new Server())
// @ts-expect-error -- is no server of Socket.IO
attachSocketIo(http.createServer())
`,
}

const installed = Object.keys(users).filter((name) => existsSync(join(folder(name), 'node_modules')))

const OPTIONS = { target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable'], module: 'nodenext', skipLibCheck: true }

test.runIf(installed.length > 0)('the real types of all frameworks are accepted, and other types are not', async () => {
  for (const name of installed) {
    const found = await typeCheck(folder(name), new Map([['user.ts', users[name]!]]), { ...OPTIONS, types: ['node'] })
    expect(found.filter(isOwn), name).toEqual([])
  }
})
