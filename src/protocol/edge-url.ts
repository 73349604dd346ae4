/**
 * Where a page's or a program's players connect: to the server itself, or through an edge, whose route holds the server's
 * address (`init --edge`).
 *
 * @param edge the edge's host name, such as `play.example.com`
 */
export function playersUrl(address: string, port: number, edge?: string): string {
  if (edge !== undefined) return `wss://${edge}/${address}/${port}/`
  return `ws://${address.includes(':') ? `[${address}]` : address}:${port}`
}
