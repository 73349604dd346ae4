/** A Node server with one fixed response. Sends its port to its parent. */
import { createServer } from 'node:http'

const body = process.argv[2]
const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json').end(body)
})
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('disconnect', () => process.exit())
