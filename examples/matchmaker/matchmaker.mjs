import { createServer } from 'node:http'
import { createAllocator } from 'gameserver-sidecar/allocator'

const PLAYERS = 2
const { PORT = 7900, EDGE } = process.env
const allocator = createAllocator({ edge: EDGE })
const waiting = new Map() // by player: the response that the player waits for

/** GET /match?player=alice is answered with the address of a game server, once there is a match. */
const server = createServer(async (request, response) => {
  const [, player] = /^\/match\?player=(\w+)$/.exec(`${request.url}`) ?? []
  if (!player) return response.writeHead(404).end()
  waiting.get(player)?.destroy()
  waiting.set(player, response)
  response.on('close', () => waiting.get(player) === response && waiting.delete(player))
  if (waiting.size < PLAYERS) return
  const [players, responses] = [[...waiting.keys()], [...waiting.values()]]
  waiting.clear()
  try {
    const annotations = { players: players.join() }
    const { url } = await allocator.allocate({ fleet: 'matchmaker', annotations, wait: 30_000 })
    responses.forEach((each) => each.end(`${url}\n`))
  } catch (error) {
    console.error(error)
    responses.forEach((each) => each.writeHead(503).end('no server is free: ask again\n'))
  }
})
server.listen(Number(PORT), () => console.log(`matchmaker at http://localhost:${PORT}`))
