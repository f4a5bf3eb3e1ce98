// Kestrel's part of the program: which addresses, in the clear or by TLS, and how much at once.
// What may be an address is ListenOptions' to say.
using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Pile.Server.Calls;
using Pile.Server.Security;

namespace Pile.Server.Running;

/// <summary>Makes a web host listen.</summary>
internal static class Listening
{
    /// <summary>Makes it listen on the addresses once it starts.</summary>
    internal static void On(IWebHostBuilder builder, ListenOptions listen, ListenAddress[] addresses)
    {
        _ = builder.ConfigureKestrel((_, kestrel) => Configure(kestrel, listen, addresses));
        _ = builder.ConfigureServices(static services => services.Configure<SocketTransportOptions>(static options => options.CreateBoundListenSocket = Bind));
        if (Array.Exists(addresses, static address => address.IsSecure))
        {
            _ = builder.UseKestrelHttpsConfiguration();
        }
    }

    // Kestrel names an address that is in use, and no other that it can't have.
    private static Socket Bind(EndPoint address)
    {
        try
        {
            return SocketTransportOptions.CreateDefaultBoundListenSocket(address);
        }
        catch (SocketException failure) when (failure.SocketErrorCode != SocketError.AddressAlreadyInUse)
        {
            throw new IOException(
                $"It can't listen on '{address}': {ReasonOf(failure, address)}. Give an address of this machine with a port that this user may have, or a socket in a directory that is there and may be written to.", failure);
        }
    }

    // Sockets have no word for a file system that is read only, and the like: a file at that place has.
    private static string ReasonOf(SocketException failure, EndPoint address)
    {
        try
        {
            if (failure.SocketErrorCode == SocketError.SocketError && address is UnixDomainSocketEndPoint)
            {
                using var tried = new FileStream(address.ToString()!, FileMode.CreateNew, FileAccess.Write, FileShare.None, bufferSize: 0, FileOptions.DeleteOnClose);
            }
        }
        catch (Exception told) when (told is IOException or UnauthorizedAccessException)
        {
            return told.Message.TrimEnd('.');
        }

        return failure.Message;
    }

    private static void Configure(KestrelServerOptions kestrel, ListenOptions listen, ListenAddress[] addresses)
    {
        IServiceProvider services = kestrel.ApplicationServices;
        ILogger logger = services.GetRequiredService<ILoggerFactory>().CreateLogger(typeof(ServerProgram).FullName!);
        TimeProvider time = services.GetService<TimeProvider>() ?? TimeProvider.System;
        kestrel.AddServerHeader = false;

        // By its own section of the configuration, which may stand in the environment of a container, it would listen elsewhere too, in the clear.
        _ = kestrel.Configure();

        // Kestrel counts the connections of each address by themselves.
        long? files = OpenFiles.Limit;
        long connections = OpenFiles.Connections(listen.ConnectionsMax, files, listen.AddressesCount);
        if (connections < listen.ConnectionsMax)
        {
            ServerLog.FewConnections(logger, connections, listen.ConnectionsMax, files!.Value);
        }

        kestrel.Limits.MaxConcurrentConnections = connections;
        kestrel.Limits.MaxRequestHeadersTotalSize = ServerLimits.HeaderBytesMax;
        kestrel.Limits.Http2.MaxStreamsPerConnection = (int)listen.StreamsPerConnectionMax;

        // A machine that has gone without a word ends no connection: with a stream open it would count for ever, and what its stream holds too.
        kestrel.Limits.Http2.KeepAlivePingDelay = ServerLimits.AliveAsked;
        kestrel.Limits.Http2.KeepAlivePingTimeout = ServerLimits.AliveWait;
        CertificateSource? certificates = listen.Certificate is { } path && Array.Exists(addresses, static address => address.IsSecure)
            ? new CertificateSource(path, listen.CertificateKey, listen.CertificatePassword, listen.ClientAuthority, listen.ClientCertificateRequired, logger, time)
            : null;
        foreach (ListenAddress address in addresses)
        {
            if (address is { IsLocal: false, IsSecure: false })
            {
                ServerLog.InTheClear(logger, address.Text);
            }

            ServerLog.Listening(logger, address.Text);
            void Set(Microsoft.AspNetCore.Server.Kestrel.Core.ListenOptions options)
            {
                options.Protocols = HttpProtocols.Http2;
                if (address.IsSecure)
                {
                    _ = options.UseHttps(new TlsHandshakeCallbackOptions { OnConnection = _ => ValueTask.FromResult(certificates!.Current) });
                    WholeRecords.UseOn(options);
                }
            }

            if (address.SocketPath is { } socket)
            {
                StaleSocket.Remove(socket, address.Text);
                kestrel.ListenUnixSocket(socket, Set);
            }
            else
            {
                kestrel.Listen(address.EndPoint!, Set);
            }
        }
    }
}
