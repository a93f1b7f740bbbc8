import { cipher } from 'sealstone/hazmat'
import { work } from '../work.js'

export const runtime = 'edge'
export const dynamic = 'force-dynamic'

export function GET() {
  return new Response(`${work()}, ${cipher('sm4-ecb', new Uint8Array(16)).encrypt(undefined, 'x').length}`)
}
