using System.Net;
using System.Net.Sockets;
using Pile.Client.Calls;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>How connections come about.</summary>
public sealed class ConnectorTests
{
    [Fact]
    public void AConnectionToItselfIsRefusedAndLeavesNothingAtItsPort()
    {
        using var self = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        self.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        self.Connect(self.LocalEndPoint!);

        SocketException refused = Assert.Throws<SocketException>(() => Connector.RefuseItself(self));
        Assert.Equal(SocketError.ConnectionRefused, refused.SocketErrorCode);

        // It is reset when it is closed: what is closed otherwise keeps the port for a minute.
        Assert.Equal((true, 0), (self.LingerState!.Enabled, self.LingerState.LingerTime));
    }

    [Fact]
    public void AConnectionToAnotherIsNotRefused()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        using var other = new Socket(SocketType.Stream, ProtocolType.Tcp);
        other.Connect(listener.LocalEndPoint!);

        Assert.Null(Record.Exception(() => Connector.RefuseItself(other)));
    }
}
