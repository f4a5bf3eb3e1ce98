// What --help says. docs/SERVER.md says the rest.
// A test holds it against the arguments that there are.
namespace Pile.Server.Running;

/// <summary>The help of the program.</summary>
internal static class HelpText
{
    internal const string Text = """
        pile-server: Pile's cache over gRPC.

          --directory PATH         keep the cache in files there
          --in-memory              keep it in memory: it ends with the server
          --memory-limit SIZE      what memory, or the files, may take: bytes, or 64MB, 4GiB
          --listen ADDRESSES       http://host:port, https://host:port or unix:path, with ';' between them (http://127.0.0.1:7171)
          --health ADDRESSES       answer for the server's health alone, while it recovers too
          --certificate FILE       PEM or PFX; read again when it changes
          --key FILE               PEM with the certificate's key
          --client-authority FILE  PEM; clients must have a certificate that it signed
          --insecure               allow addresses in the clear that others reach
          --config FILE            JSON with the sections PileCache, PileServer, PileClients, PileJwt, PileListen, PileTelemetry
          --Section:Setting VALUE  any setting, as --PileServer:MessageBytesMax 1048576

        The environment has settings as PILE_PileCache__Directory=PATH. Arguments count before it, and it before the file.
        """;
}
