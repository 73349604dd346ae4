/** The least a Node server can do: one fixed answer. Tells its parent the port. */
import { createServer } from 'node:http'

const body = process.argv[2]
const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json').end(body)
})
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('disconnect', () => process.exit())
