using System;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>What is known of the lanes of types.</summary>
public sealed class LaneOfTests
{
    [Fact]
    public void ATypeOfACollectibleContextIsNotHeld()
    {
        WeakReference context = AskForAnotherContext();

        // As long as the runtime's own threads take to let go of it: they may be compiling something of it.
        long begun = TimeProvider.System.GetTimestamp();
        while (context.IsAlive && TimeProvider.System.GetElapsedTime(begun) < TimeSpan.FromMinutes(1))
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        Assert.False(context.IsAlive);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference AskForAnotherContext()
    {
        var context = new AssemblyLoadContext("collectible", isCollectible: true);
        Type type = context.LoadFromAssemblyPath(typeof(LaneOfTests).Assembly.Location).GetType(typeof(Sample).FullName!)!;
        Assert.NotEqual(typeof(Sample), type);
        PropertyInfo bytes = typeof(LaneOf<>).MakeGenericType(type.MakeArrayType()).GetProperty("ElementBytes", BindingFlags.Static | BindingFlags.NonPublic)!;
        Assert.Equal(16, bytes.GetValue(null));
        context.Unload();
        return new WeakReference(context);
    }

    internal readonly record struct Sample(long First, int Second);
}
