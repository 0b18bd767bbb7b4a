/** The folder of a zeview release is in static/zeview: Docusaurus copies it. */
export default {
  title: "Kernels",
  url: "https://example.org",
  baseUrl: "/",
  scripts: [{ src: "/zeview/zeview-embed.js", async: true }],
  // The embed follows the reader, and so should the page around it.
  themeConfig: { colorMode: { respectPrefersColorScheme: true } },
  presets: [["classic", { docs: { routeBasePath: "/" }, blog: false }]],
};
