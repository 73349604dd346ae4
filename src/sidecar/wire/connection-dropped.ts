/** The sidecar would have answered nothing at all: the host must cut the connection. */
export class ConnectionDropped extends Error {
  override readonly name = 'ConnectionDropped'
}
