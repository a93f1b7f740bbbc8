export default {
  output: 'standalone',
  distDir: process.env.DIST_DIR,
  ...(process.env.EXTERNAL === 'yes' && { serverExternalPackages: ['sealstone'] }),
}
