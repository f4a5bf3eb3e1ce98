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
    public void ATypeOfACollectibleContextIsNotHeld() => LoadContexts.AssertCollected(AskForAnotherContext());

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
