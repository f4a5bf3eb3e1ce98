// How connections come about: plain, by TLS with authorities and a certificate of one's own, or by a Unix socket; always HTTP/2. What has
// gone quiet is asked whether it is there, and given up.
using System;
using System.IO;
using System.Net;
using System.Net.Http;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Client.Calls;

/// <summary>Makes what sends requests.</summary>
internal static class Connector
{
    private const string Unix = "unix:";

    /// <summary>The address that requests have.</summary>
    /// <exception cref="ArgumentException">It is none.</exception>
    internal static Uri UriOf(PileClientOptions options)
    {
        string address = options.Address;
        if (address.StartsWith(Unix, StringComparison.Ordinal) && address.Length > Unix.Length)
        {
            return new Uri("http://localhost");
        }

        if (!Uri.TryCreate(address, UriKind.Absolute, out Uri? uri) || uri is not { Scheme: "http" or "https", PathAndQuery: "/", UserInfo: "", Fragment: "" })
        {
            throw OptionsCheck.Refused($"'{address}' is no address of a server: it must be like http://127.0.0.1:7171, https://cache.example:7171 or unix:/run/pile.sock.", nameof(PileClientOptions.Address));
        }

        string? name = uri.Scheme == "https" ? options.Tls.ServerName : null;
        return name is null ? uri
            : Uri.CheckHostName(name) != UriHostNameType.Unknown ? new UriBuilder(uri) { Host = name }.Uri
            : throw OptionsCheck.Refused($"'{name}' is no name of a host.", nameof(PileClientTlsOptions.ServerName));
    }

    /// <summary>Whether what is sent there stays on this machine, or is encrypted.</summary>
    internal static bool IsPrivate(string address, Uri uri) => address.StartsWith(Unix, StringComparison.Ordinal) || uri.Scheme == "https" || uri.IsLoopback;

    /// <summary>A handler for one client.</summary>
    /// <param name="options">The options.</param>
    /// <param name="ssl">Of <see cref="SslOf(PileClientOptions, Uri)"/>.</param>
    /// <param name="idleMax">How long a connection that nothing is done on is kept.</param>
    internal static SocketsHttpHandler HandlerOf(PileClientOptions options, SslClientAuthenticationOptions? ssl, TimeSpan idleMax)
    {
        var handler = new SocketsHttpHandler
        {
            AllowAutoRedirect = false,
            AutomaticDecompression = DecompressionMethods.None,
            ConnectTimeout = options.ConnectTimeout,
            EnableMultipleHttp2Connections = true,
            InitialHttp2StreamWindowSize = ClientLimits.WindowBytes,
            KeepAlivePingDelay = options.KeepAlive,
            KeepAlivePingTimeout = options.KeepAlive,
            KeepAlivePingPolicy = HttpKeepAlivePingPolicy.WithActiveRequests,
            PooledConnectionIdleTimeout = idleMax,
            UseCookies = false,
            UseProxy = false,
        };
        handler.SslOptions = ssl ?? handler.SslOptions;
        handler.ConnectCallback = (_, cancel) => OpenAsync(options.Address, isBlocking: false, cancel);
        return handler;
    }

    /// <summary>How a client proves itself and knows the server; null without TLS.</summary>
    /// <exception cref="ArgumentException">A file of the TLS options can't be used.</exception>
    internal static SslClientAuthenticationOptions? SslOf(PileClientOptions options, Uri uri) => uri.Scheme == "https" ? SslOf(options.Tls) : null;

    /// <summary>Makes a connection for HTTP/2, in the time that the options give.</summary>
    /// <param name="options">The options.</param>
    /// <param name="uri">The address that requests have.</param>
    /// <param name="ssl">Of <see cref="SslOf(PileClientOptions, Uri)"/>.</param>
    /// <param name="clock">Measures that time.</param>
    /// <param name="isBlocking">Whether all of it is done by the calling thread: the task is done then.</param>
    /// <param name="cancel">Ends it.</param>
    /// <exception cref="IOException">There was none in that time, or the server does not speak HTTP/2.</exception>
    internal static async Task<Stream> ConnectAsync(PileClientOptions options, Uri uri, SslClientAuthenticationOptions? ssl, TimeProvider clock, bool isBlocking, CancellationToken cancel)
    {
        using var late = new CancellationTokenSource(options.ConnectTimeout, clock);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(cancel, late.Token);
        try
        {
            Stream stream = await OpenAsync(options.Address, isBlocking, either.Token).ConfigureAwait(false);
            return ssl is null ? stream : await SecureAsync(stream, uri, ssl, isBlocking, either.Token).ConfigureAwait(false);
        }
        catch (Exception slow) when ((slow is OperationCanceledException || isBlocking) && late.IsCancellationRequested && !cancel.IsCancellationRequested)
        {
            throw new IOException($"there was no connection within {options.ConnectTimeout.TotalSeconds:0.###} s (ConnectTimeout).");
        }
    }

    private static async Task<Stream> SecureAsync(Stream stream, Uri uri, SslClientAuthenticationOptions ssl, bool isBlocking, CancellationToken cancel)
    {
        var secure = new SslStream(stream);
        try
        {
            var own = new SslClientAuthenticationOptions
            {
                ApplicationProtocols = [SslApplicationProtocol.Http2],
                CertificateChainPolicy = ssl.CertificateChainPolicy,
                ClientCertificates = ssl.ClientCertificates,
                TargetHost = uri.IdnHost,
            };
            if (isBlocking)
            {
                using CancellationTokenRegistration given = cancel.UnsafeRegister(static stream => ((Stream)stream!).Dispose(), stream);
                secure.AuthenticateAsClient(own);
            }
            else
            {
                await secure.AuthenticateAsClientAsync(own, cancel).ConfigureAwait(false);
            }

            return secure.NegotiatedApplicationProtocol == SslApplicationProtocol.Http2 ? secure : throw new IOException("it does not speak HTTP/2.");
        }
        catch
        {
            await secure.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    // Where the address says: the server's name, where another is expected, is that of requests alone.
    private static async ValueTask<Stream> OpenAsync(string address, bool isBlocking, CancellationToken cancel)
    {
        bool isUnix = address.StartsWith(Unix, StringComparison.Ordinal);
        Uri? where = isUnix ? null : new Uri(address);
        Socket socket = isUnix ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified) : new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        EndPoint endpoint = where is null ? new UnixDomainSocketEndPoint(address[Unix.Length..]) : new DnsEndPoint(where.IdnHost, where.Port);
        try
        {
            if (isBlocking)
            {
                using CancellationTokenRegistration given = cancel.UnsafeRegister(static socket => ((Socket)socket!).Dispose(), socket);
                socket.Connect(endpoint);
            }
            else
            {
                await socket.ConnectAsync(endpoint, cancel).ConfigureAwait(false);
            }

            RefuseItself(socket);
            return isBlocking ? new PolledStream(socket) : new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>Refuses a connection to itself: where nobody listens at a port of this machine, and the system gives the socket that very port as its own,
    /// it connects. It is reset, because the port would be kept for a minute, and its server could not start.</summary>
    /// <exception cref="SocketException">It is one.</exception>
    internal static void RefuseItself(Socket socket)
    {
        EndPoint? other = null;
        try
        {
            other = socket.AddressFamily == AddressFamily.Unix ? null : socket.RemoteEndPoint;
        }
        catch (SocketException)
        {
            // It was reset already, which the first call is told.
        }

        if (other is not null && Equals(socket.LocalEndPoint, other))
        {
            socket.LingerState = new LingerOption(true, 0);
            throw new SocketException((int)SocketError.ConnectionRefused);
        }
    }

    private static SslClientAuthenticationOptions SslOf(PileClientTlsOptions tls)
    {
        var ssl = new SslClientAuthenticationOptions();
        if (tls.AuthorityFile is not null)
        {
            var policy = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
            Load(nameof(tls.AuthorityFile), tls.AuthorityFile, () => policy.CustomTrustStore.ImportFromPemFile(tls.AuthorityFile));
            if (policy.CustomTrustStore.Count == 0)
            {
                throw OptionsCheck.Refused($"'{tls.AuthorityFile}' holds no certificate.", nameof(tls.AuthorityFile));
            }

            ssl.CertificateChainPolicy = policy;
        }

        if (tls.Certificate is { } given)
        {
            ssl.ClientCertificates = [given.HasPrivateKey ? given : throw OptionsCheck.Refused("The certificate has no private key.", nameof(tls.Certificate))];
        }
        else if (tls.CertificateFile is { } file)
        {
            Load(nameof(tls.CertificateFile), file, () => ssl.ClientCertificates = [CertificateOf(tls, file)]);
        }
        else if (tls.KeyFile is { Length: > 0 } || tls.CertificatePassword is { Length: > 0 })
        {
            string name = tls.KeyFile is { Length: > 0 } ? nameof(tls.KeyFile) : nameof(tls.CertificatePassword);
            throw OptionsCheck.Refused($"{name} is there without a {nameof(tls.CertificateFile)}, which it belongs to: name that file too, or leave {name} away.", name);
        }

        return ssl;
    }

    private static X509Certificate2 CertificateOf(PileClientTlsOptions tls, string file)
    {
        if (Path.GetExtension(file).ToUpperInvariant() is ".PFX" or ".P12")
        {
            return X509CertificateLoader.LoadPkcs12FromFile(file, tls.CertificatePassword);
        }

        using X509Certificate2 pem = tls.CertificatePassword is null
            ? X509Certificate2.CreateFromPemFile(file, tls.KeyFile)
            : X509Certificate2.CreateFromEncryptedPemFile(file, tls.CertificatePassword, tls.KeyFile);

        // Some platforms take no key that was never in a store.
        return X509CertificateLoader.LoadPkcs12(pem.Export(X509ContentType.Pkcs12), null);
    }

    private static void Load(string name, string file, Action load)
    {
        try
        {
            load();
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException or CryptographicException)
        {
            throw OptionsCheck.Refused($"'{file}' can't be used: {failure.Message}", name, failure);
        }
    }
}
